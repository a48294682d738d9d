"""The clients that `verify` imitates, with the whole header sets of present browsers.

How the headers were obtained. Chromium 156 and Firefox 153 opened a page that loads a script, a
style sheet and an icon like a survey's page, posts with `fetch`, and posts a form. A socket logged
their requests over HTTP/1.1. For Chromium, HAProxy passed on the headers that it sends over HTTP/2
with TLS, which also have `priority`. These are the headers below, in their order.

The others are derived. Chrome and Edge are Chromium with other names and brands
(https://wicg.github.io/ua-client-hints/). Tor Browser is Firefox with its uniform User-Agent and
Sec-GPC. Safari sends no client hints, and Upgrade-Insecure-Requests only without TLS
(FrameLoader::addHTTPUpgradeInsecureRequestsIfNeeded in WebKit). curl sends what its manual says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

# The kinds of requests: a page, files that a page loads, a `fetch` of static/respondent/post.js.
CHROMIUM = {
    "page": """
Connection: keep-alive
sec-ch-ua: {brands}
sec-ch-ua-mobile: {mobile}
sec-ch-ua-platform: "{platform}"
Upgrade-Insecure-Requests: 1
User-Agent: {agent}
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,\
image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7
Sec-Fetch-Site: {site}
Sec-Fetch-Mode: navigate
Sec-Fetch-User: ?1
Sec-Fetch-Dest: document
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: {language}
Priority: u=0, i
""",
    "script": """
Connection: keep-alive
Origin: {origin}
sec-ch-ua-platform: "{platform}"
User-Agent: {agent}
sec-ch-ua: {brands}
sec-ch-ua-mobile: {mobile}
Accept: */*
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: script
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: {language}
""",
    "style": """
Connection: keep-alive
sec-ch-ua-platform: "{platform}"
User-Agent: {agent}
sec-ch-ua: {brands}
sec-ch-ua-mobile: {mobile}
Accept: text/css,*/*;q=0.1
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: no-cors
Sec-Fetch-Dest: style
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: {language}
Priority: u=0
""",
    "image": """
Connection: keep-alive
sec-ch-ua-platform: "{platform}"
User-Agent: {agent}
sec-ch-ua: {brands}
sec-ch-ua-mobile: {mobile}
Accept: image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: no-cors
Sec-Fetch-Dest: image
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: {language}
Priority: u=1, i
""",
    "fetch": """
Connection: keep-alive
Pragma: no-cache
Cache-Control: no-cache
sec-ch-ua-platform: "{platform}"
User-Agent: {agent}
sec-ch-ua: {brands}
Content-Type: application/json
sec-ch-ua-mobile: {mobile}
Accept: */*
Origin: {origin}
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: {language}
Priority: u=1, i
""",
}
FIREFOX = {
    "page": """
User-Agent: {agent}
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8
Accept-Language: {language}
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
Upgrade-Insecure-Requests: 1
Sec-Fetch-Dest: document
Sec-Fetch-Mode: navigate
Sec-Fetch-Site: {site}
Sec-Fetch-User: ?1
Priority: u=0, i
""",
    "script": """
User-Agent: {agent}
Accept: */*
Accept-Language: {language}
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
Sec-Fetch-Dest: script
Sec-Fetch-Mode: cors
Sec-Fetch-Site: same-origin
""",
    "style": """
User-Agent: {agent}
Accept: text/css,*/*;q=0.1
Accept-Language: {language}
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
Sec-Fetch-Dest: style
Sec-Fetch-Mode: no-cors
Sec-Fetch-Site: same-origin
Priority: u=2
""",
    "image": """
User-Agent: {agent}
Accept: image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5
Accept-Language: {language}
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
Sec-Fetch-Dest: image
Sec-Fetch-Mode: no-cors
Sec-Fetch-Site: same-origin
Priority: u=6
""",
    "fetch": """
User-Agent: {agent}
Accept: */*
Accept-Language: {language}
Accept-Encoding: gzip, deflate, br, zstd
Content-Type: application/json
Origin: {origin}
Connection: keep-alive
Sec-Fetch-Dest: empty
Sec-Fetch-Mode: cors
Sec-Fetch-Site: same-origin
Priority: u=4
Pragma: no-cache
Cache-Control: no-cache
""",
}
SAFARI = {
    "page": """
Sec-Fetch-Dest: document
User-Agent: {agent}
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8
Sec-Fetch-Site: {site}
Sec-Fetch-Mode: navigate
Accept-Language: {language}
Priority: u=0, i
Accept-Encoding: gzip, deflate, br
Connection: keep-alive
""",
    "script": """
Sec-Fetch-Dest: script
User-Agent: {agent}
Accept: */*
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: cors
Accept-Language: {language}
Priority: u=1, i
Accept-Encoding: gzip, deflate, br
Connection: keep-alive
""",
    "style": """
Sec-Fetch-Dest: style
User-Agent: {agent}
Accept: text/css,*/*;q=0.1
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: no-cors
Accept-Language: {language}
Priority: u=1, i
Accept-Encoding: gzip, deflate, br
Connection: keep-alive
""",
    "image": """
Sec-Fetch-Dest: image
User-Agent: {agent}
Accept: image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,\
image/svg+xml,image/*;q=0.8,*/*;q=0.5
Sec-Fetch-Site: same-origin
Sec-Fetch-Mode: no-cors
Accept-Language: {language}
Priority: u=5, i
Accept-Encoding: gzip, deflate, br
Connection: keep-alive
""",
    "fetch": """
Content-Type: application/json
Pragma: no-cache
Accept: */*
Sec-Fetch-Site: same-origin
Accept-Language: {language}
Cache-Control: no-cache
Sec-Fetch-Mode: cors
Accept-Encoding: gzip, deflate, br
Origin: {origin}
User-Agent: {agent}
Connection: keep-alive
Sec-Fetch-Dest: empty
Priority: u=3, i
""",
}
# Tor Browser asks with Global Privacy Control (https://www.w3.org/TR/gpc/).
TOR = {
    kind: text.replace("\nConnection", "\nSec-GPC: 1\nConnection") for kind, text in FIREFOX.items()
}
CURL = dict.fromkeys(CHROMIUM, "User-Agent: {agent}\nAccept: */*\n")
CURL["fetch"] += "Content-Type: application/json\n"
FORM = "application/x-www-form-urlencoded"
CHROME_AGENT = (
    "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 {rest}"
)
SAFARI_AGENT = "Mozilla/5.0 ({system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 {rest}"
FIREFOX_AGENT = "Mozilla/5.0 ({system}; rv:{version}) Gecko/20100101 Firefox/{version}"


@dataclass(frozen=True, kw_only=True)
class Client:
    """A client that this command imitates.

    Attributes
    ----------
    engine : the request headers by kind of request, with places for the values
    values : the values of `agent`, `language` and, in Chromium, of the client hints
    site : Sec-Fetch-Site of the first request, which follows a link or a typed address
    more : further headers of the first request
    """

    name: str
    engine: Mapping[str, str]
    values: Mapping[str, str]
    site: str = "none"
    more: Mapping[str, str] = field(default_factory=dict)

    def headers(
        self, kind: str, origin: str, language: str | None = None, *, from_here: bool = False
    ) -> dict[str, str]:
        """The request headers, in order.

        Parameters
        ----------
        kind : a kind of `engine`; "form" is a page after a posted form, "load" a `fetch` or
            XMLHttpRequest that posts nothing
        language : the only language that the client requests, in place of its own
        from_here : whether a page of this origin has the link
        """
        site = "same-origin" if from_here or kind == "form" else self.site
        text = self.engine[{"form": "page", "load": "fetch"}.get(kind, kind)]
        lines = text.format(**self.values, origin=origin, site=site).strip().splitlines()
        headers = dict(line.split(": ", 1) for line in lines)
        if language is not None:
            headers["Accept-Language"] = language
        if kind == "form":
            headers |= {"Content-Type": FORM, "Origin": origin}
        elif kind == "load":
            for name in ("Content-Type", "Origin", "Pragma", "Cache-Control"):
                headers.pop(name, None)
        elif kind == "page" and not from_here:
            headers |= self.more
        return headers


def chromium(name: str, system: str, language: str, **more: str) -> Client:
    """A browser with the engine of Chromium. With `more` headers, it comes from another site."""
    mobile, edge = "Android" in system, "Edge" in name
    brand = "Microsoft Edge" if edge else "Google Chrome"
    rest = f"{'Mobile ' if mobile else ''}Safari/537.36{' Edg/156.0.0.0' if edge else ''}"
    values = {
        "agent": CHROME_AGENT.format(system=system, rest=rest),
        "language": language,
        "brands": f'"Not:A-Brand";v="8", "Chromium";v="156", "{brand}";v="156"',
        "mobile": f"?{mobile:d}",
        "platform": "Android" if mobile else "Windows",
    }
    return Client(
        name=name, engine=CHROMIUM, values=values, site="cross-site" if more else "none", more=more
    )


def other(name: str, engine: Mapping[str, str], agent: str, language: str) -> Client:
    return Client(name=name, engine=engine, values={"agent": agent, "language": language})


ANDROID = "Linux; Android 10; K"
WINDOWS = "Windows NT 10.0; Win64; x64"
IPHONE = "iPhone; CPU iPhone OS 18_6 like Mac OS X"
MAC = "Macintosh; Intel Mac OS X 10_15_7"
FACEBOOK = "Chrome on Android, from another site"
GOOGLE = "Edge on Windows, from another site"
ON_LINUX = FIREFOX_AGENT.format(system="X11; Linux x86_64", version="153.0")
TORS = FIREFOX_AGENT.format(system=WINDOWS, version="140.0")
ON_IPHONE = SAFARI_AGENT.format(system=IPHONE, rest="Mobile/15E148 Safari/604.1")
ON_MAC = SAFARI_AGENT.format(system=MAC, rest="Safari/605.1.15")
CLIENTS = (
    other("Firefox on Linux", FIREFOX, ON_LINUX, "en-US,en;q=0.9"),
    chromium(FACEBOOK, ANDROID, "vi-VN,vi;q=0.9,en;q=0.8", Referer="https://www.facebook.com/"),
    chromium("Chrome on Windows", WINDOWS, "zh-CN,zh;q=0.9"),
    chromium(GOOGLE, WINDOWS, "en-GB,en;q=0.9", Referer="https://www.google.com/"),
    other("Safari on an iPhone", SAFARI, ON_IPHONE, "th-TH,th;q=0.9"),
    other("Safari on a Mac", SAFARI, ON_MAC, "en-US,en;q=0.9"),
    other("Tor Browser", TOR, TORS, "en-US,en;q=0.5"),
    other("curl", CURL, "curl/8.5.0", ""),
)


@dataclass(frozen=True)
class Visit:
    """One of the times that a client sends each request.

    Attributes
    ----------
    of_pages : headers of requests for pages
    of_all : headers of all requests
    mark : what a link on a large site appends to the query of a page, or ""
    """

    of_pages: Mapping[str, str] = field(default_factory=dict)
    of_all: Mapping[str, str] = field(default_factory=dict)
    mark: str = ""


# This release sets no cookie and lets nobody cache, so no browser has the headers of the last
# visit. They find a host that recognises people in this way.
VISITS = (
    Visit(),
    Visit({"Cache-Control": "max-age=0"}),  # a reload
    Visit(
        of_all={
            "Cookie": "session=eyJ0b2tlbiI6ICJub3RoaW5nIn0.canary; theme=dark; id=7",
            "If-None-Match": '"5d8c72a5-3a98"',
            "If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT",
        },
        mark="utm_source=mail&fbclid=IwZXh0bgNhZW0CMTAAYnJpZBEx",
    ),
)

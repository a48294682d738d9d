"""Public pages, answered from the cache without a thread of the application where possible.

survey/server/http/page_cache.py has the argument. This module defines what waits for what. One
thread reads the versions for all requests that wait at that moment. A missing page is rendered once
for everyone who requests it. At most `MAX_MADE_AT_ONCE` pages are rendered at the same time, so
that the other threads stay free.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from urllib.parse import urlsplit

from flask import Request

from survey.server.clock import now
from survey.server.group_commit import GroupCommitQueue, gathering
from survey.server.http.page_cache import (
    PAGE_KEY,
    Address,
    Page,
    PageCache,
    PageReply,
    Variant,
    cacheable_address,
    language_named,
    languages_asked,
    made_request,
    variant_of,
)
from survey.server.http.wsgi_environ import Scope, Send
from survey.server.http.wsgi_threads import Threads
from survey.server.settings import Settings
from survey.store import Store

MAX_MADE_AT_ONCE = 2
PIECE_BYTES = 64 * 1024

Version = bytes | None


class PublicPages:
    """The cache, and the requests to the store and the application that fill it.

    Parameters
    ----------
    threads : the threads of the application
    """

    def __init__(self, threads: Threads, store: Store, settings: Settings):
        self.threads = threads
        self.store = store
        self.host = urlsplit(settings.url).netloc
        self.cache = PageCache()
        self.making: dict[object, asyncio.Task[PageReply]] = {}
        self.filling: set[asyncio.Task[None]] = set()
        # Results have their own queue and thread, because their versions take longer to read.
        self.surveys = GroupCommitQueue(partial(self.versions, results=False))
        self.results = GroupCommitQueue(partial(self.versions, results=True))

    @contextmanager
    def answering(self) -> Iterator[None]:
        """During the block, threads read the versions of pages."""
        self.turns = asyncio.Semaphore(MAX_MADE_AT_ONCE)
        with gathering(self.surveys), gathering(self.results):
            yield

    async def answer(self, scope: Scope, send: Send) -> bool:
        """Send a page from the cache, or render it; False if the application must answer."""
        address = cacheable_address(scope)
        version = None if address is None else await self.version_of(address)
        if address is None or version is None:
            return False
        asked = languages_asked(scope)
        reply = self.kept_page(address, version, asked)
        if reply is None:
            if self.threads.pool_of(address.path).full:
                return False
            reply = await self.made(address, version, asked)
        start = {"status": reply.status, "headers": reply.headers}
        await send({"type": "http.response.start", **start})
        content = b"" if scope["method"] == "HEAD" else reply.content
        # Send it in pieces, so that the server never holds more for a client than it has accepted.
        for first in range(0, len(content), PIECE_BYTES):
            piece = content[first : first + PIECE_BYTES]
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return True

    def kept_page(self, address: Address, version: bytes, asked: Request) -> PageReply | None:
        page = self.cache.find(address.key, version)
        return None if page is None else page.replies.get(variant_of(asked, page.offered))

    async def made(self, address: Address, version: bytes, asked: Request) -> PageReply:
        """Render a page that is not cached, once for everyone who requests it now.

        The first reply says which languages there are. Until then the others wait. Otherwise every
        value of Accept-Language would render the page again.
        """
        first = self.making.get((address, version))
        if first is not None:
            await asyncio.wait([first])
            reply = self.kept_page(address, version, asked)
            if reply is not None:
                return reply
        page = self.cache.find(address.key, version)
        if page is None:  # The available languages are not known yet.
            variant = Variant(language_named(asked), variant_of(asked, [""]).gzip)
            accepted = asked.headers.get("Accept-Language", "")
        else:
            variant, accepted = variant_of(asked, page.offered), ""
        alone = page is None and first is None
        key = (address, version) if alone else (address, version, variant, accepted)
        task = self.making.get(key)
        if task is None:
            task = asyncio.create_task(self.make(address, variant, accepted))
            self.making[key] = task
            task.add_done_callback(lambda _: self.making.pop(key))
        return await asyncio.shield(task)

    async def make(self, address: Address, variant: Variant, accepted: str = "") -> PageReply:
        """Let the application render a page, and cache it if that is allowed."""
        page, language = Page(), variant.language
        if address.lesson and not address.language:
            language, accepted = "", language or accepted
        request = made_request(address.path, self.host, language, accepted, variant.gzip)
        respondents = self.threads.pool_of(address.path) is self.threads.respondents
        async with self.turns if respondents else nullcontext():
            reply = PageReply(*await self.threads.make(request, {PAGE_KEY: page}))
        if reply.may_be_kept and page.offered:
            new = self.cache.find(address.key, page.version) is None
            self.cache.keep(
                address.key, page, variant_of(languages_asked(request), page.offered), reply
            )
            if new and not address.results and not address.lesson:
                task = asyncio.create_task(self.fill(address, page, len(reply.content)))
                self.filling.add(task)
                task.add_done_callback(self.filling.discard)
        return reply

    async def fill(self, address: Address, made: Page, size: int) -> None:
        """Render a page in its other languages and encodings too.

        Otherwise the response time would reveal the language of an earlier visitor.
        """
        if size * 2 * len(made.offered) > self.cache.max_bytes / 4:
            return
        for language in made.offered:
            for gzip in (True, False):
                page = self.cache.find(address.key, made.version)
                if page is None:  # It was dropped, or it has changed.
                    return
                if Variant(language, gzip) not in page.replies:
                    await self.make(address, Variant(language, gzip))

    async def version_of(self, address: Address) -> Version:
        """The version of the page now; None if there is no such page, or the store is not
        available."""
        if not address.slug:
            return b""
        future = (self.results if address.results else self.surveys).add(address.slug)
        version = None if future is None else await future
        return None if isinstance(version, Exception) else version

    def versions(self, slugs: Sequence[str], results: bool) -> list[Version]:
        self.store.lifecycle.close_due(now())
        version_by_slug = self.store.public.versions(set(slugs), results=results)
        return [version_by_slug.get(slug) for slug in slugs]

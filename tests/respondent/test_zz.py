from tests.respondent import test_sentences as t
from tests.support.marked_sentences import *
from survey.core.languages import LANGUAGES
def test_zz(client, store, monkeypatch):
    mark_sentences(monkeypatch)
    unknown, false, levels = {}, [], []
    n=0
    for i,content in enumerate(t.open_designs(store)):
        for end in ["","/by-hand"][:2 if content.get("by_hand") else 1]:
            slug=content["slug"]
            try: f=t.facts_of(client.get(f"/s/{slug}{end.replace('/','.')}.json").json)
            except Exception as e: false.append((slug,end,repr(e))); continue
            if f.one>99: false.append((slug,"ONE",f.one))
            page=client.get(f"/s/{slug}{end}",query_string={"language":LANGUAGES[i%4]}).text
            for s,v in sentences_on(page):
                try: c=t.condition_of(s)
                except AssertionError: unknown[s]=slug; continue
                try:
                    if c is not None and not c(f,v): false.append((slug,end,s[:70],v, f.mixed,f.given,f.asked,f.kept,float(f.one),float(f.together),float(f.product)))
                except Exception as e: false.append((slug,s[:70],v,repr(e)))
            try: t.check_levels(f,page)
            except AssertionError as e: levels.append((slug,end,str(e)[:200]))
            n+=1
    print(n); print("UNKNOWN"); [print(repr(k),v) for k,v in unknown.items()]
    print("FALSE"); [print(x) for x in false]; print("LEVELS"); [print(x) for x in levels]

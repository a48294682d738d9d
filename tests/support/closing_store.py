"""Close a store many times while eight threads query it, and print their errors as JSON.

    python -m tests.support.closing_store DATABASE ROUNDS

It runs as its own process, because a segmentation fault ends a process that closes a connection
while another thread uses it.
"""

import json
import sys
import threading
from collections import Counter

from survey.store import open_store

THREADS = 8
QUERIES = 40  # finished queries in each round before the store closes


def close_while_queried(database: str, met: Counter[str]) -> None:
    store = open_store(database)
    enough, ended = threading.Event(), Counter[str]()

    def query() -> None:
        try:
            while True:
                store.surveys.all()
                store.accounts.by_name("nobody")
                ended["queries"] += 1
                if ended["queries"] >= QUERIES:
                    enough.set()
        except Exception as error:
            met[type(error).__name__] += 1
        finally:
            enough.set()

    threads = [threading.Thread(target=query) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    enough.wait()
    store.close()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    met = Counter[str]()
    for _ in range(int(sys.argv[2])):
        close_while_queried(sys.argv[1], met)
    print(json.dumps(met))

-- A database as Candor made it when it knew two types of questions (commit 8d99132), by iterdump():
-- reports were whole numbers, counts were filled with zeros, and tables had no kind.
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'candor','surveys_and_counts','2026-11-20 14:57:54.174114+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'candor','accounts_and_sessions','2026-11-20 14:57:54.174595+00:00');
CREATE TABLE accounts (name TEXT PRIMARY KEY, password_hash TEXT NOT NULL) STRICT;
INSERT INTO "accounts" VALUES('ada','scrypt:not-a-hash');
CREATE TABLE counts (
            survey TEXT NOT NULL,
            question TEXT NOT NULL,
            report INTEGER NOT NULL,
            responses INTEGER NOT NULL,
            PRIMARY KEY (survey, question, report)
        ) STRICT, WITHOUT ROWID
        ;
INSERT INTO "counts" VALUES('habits','cheated',0,2);
INSERT INTO "counts" VALUES('habits','cheated',1,3);
INSERT INTO "counts" VALUES('habits','party',0,3);
INSERT INTO "counts" VALUES('habits','party',1,1);
INSERT INTO "counts" VALUES('habits','party',2,0);
INSERT INTO "counts" VALUES('habits','party',3,0);
INSERT INTO "counts" VALUES('habits','party',4,0);
INSERT INTO "counts" VALUES('habits','party',5,0);
INSERT INTO "counts" VALUES('habits','party',6,0);
INSERT INTO "counts" VALUES('habits','party',7,1);
INSERT INTO "counts" VALUES('habits','region',0,2);
INSERT INTO "counts" VALUES('habits','region',1,3);
INSERT INTO "counts" VALUES('habits','smokes',0,3);
INSERT INTO "counts" VALUES('habits','smokes',1,2);
INSERT INTO "counts" VALUES('proof','admits',0,1);
INSERT INTO "counts" VALUES('proof','admits',1,0);
INSERT INTO "counts" VALUES('proof','admits',2,1);
INSERT INTO "counts" VALUES('proof','sure',0,1);
INSERT INTO "counts" VALUES('proof','sure',1,1);
CREATE TABLE "responses_habits" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL, "cheated" INTEGER NOT NULL, "party" INTEGER NOT NULL, "region" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_habits" VALUES(X'01010101010101010101010101010101',0,0,0,1);
INSERT INTO "responses_habits" VALUES(X'02020202020202020202020202020202',0,0,1,1);
INSERT INTO "responses_habits" VALUES(X'03030303030303030303030303030303',1,1,7,0);
INSERT INTO "responses_habits" VALUES(X'04040404040404040404040404040404',0,1,0,0);
INSERT INTO "responses_habits" VALUES(X'05050505050505050505050505050505',1,1,0,1);
CREATE TABLE "responses_proof" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "admits" INTEGER NOT NULL, "sure" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_proof" VALUES(X'08080808080808080808080808080808',0,0);
INSERT INTO "responses_proof" VALUES(X'09090909090909090909090909090909',2,1);
CREATE TABLE sessions (
            token_hash TEXT PRIMARY KEY,
            account TEXT NOT NULL,
            created INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT
        ;
CREATE TABLE setup (token_hash TEXT PRIMARY KEY) STRICT;
CREATE TABLE surveys (
            number INTEGER PRIMARY KEY,
            slug TEXT NOT NULL UNIQUE,
            definition TEXT NOT NULL,
            document TEXT,
            state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'closed')),
            origin TEXT NOT NULL CHECK (origin IN ('browser', 'loaded', 'simulated')),
            CHECK ((state = 'draft') = (document IS NULL))
        ) STRICT
        ;
INSERT INTO "surveys" VALUES(1,'habits','{"budget":{"epsilon":4.0,"per_respondent":"all"},"introduction":"Vì sao *chúng tôi* hỏi.","language":"vi","questions":[{"choices":[{"label":"Có","name":"yes"},{"label":"Không","name":"no"}],"hint":"Trong 30 ngày qua.","label":"Bạn có hút thuốc không?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"Có","name":"yes"},{"label":"Không","name":"no"}],"label":"Bạn đã từng quay cóp chưa?","name":"cheated","privacy":{"gamma":0.3,"mechanism":"randomized_response"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"Đảng nào?","name":"party","privacy":{"epsilon":1.0},"type":"select_one"},{"choices":[{"label":"Miền Bắc","name":"north"},{"label":"Miền Nam","name":"south"}],"label":"Bạn sống ở đâu?","name":"region","privacy":"none","type":"select_one"}],"slug":"habits","title":"Thói quen"}','{"definition":{"budget":{"epsilon":4.0,"per_respondent":"all"},"introduction":"Vì sao *chúng tôi* hỏi.","language":"vi","questions":[{"choices":[{"label":"Có","name":"yes"},{"label":"Không","name":"no"}],"hint":"Trong 30 ngày qua.","label":"Bạn có hút thuốc không?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"Có","name":"yes"},{"label":"Không","name":"no"}],"label":"Bạn đã từng quay cóp chưa?","name":"cheated","privacy":{"gamma":0.3,"mechanism":"randomized_response"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"Đảng nào?","name":"party","privacy":{"epsilon":1.0},"type":"select_one"},{"choices":[{"label":"Miền Bắc","name":"north"},{"label":"Miền Nam","name":"south"}],"label":"Bạn sống ở đâu?","name":"region","privacy":"none","type":"select_one"}],"slug":"habits","title":"Thói quen"},"epsilon":3.484784097770421,"fingerprint":"4c50c521f348890b36f41065b3fa7e00ecc218d2434c53fefb9a2a2235ae0db9","tables":{"cheated":{"answers":["yes","no"],"epsilon":1.3862943611198906,"reports":["yes","no"],"rows":[[4,1],[1,4]],"sha256":"9d28299ae7b8da5253f4825d1b148b0a30d5922bd7a815bce7586d32ec07bd42"},"party":{"answers":["a","b","c","d","e","f","g","h"],"epsilon":0.9998774479824207,"reports":["a","b","c","d","e","f","g","h"],"rows":[[106,39,39,39,39,39,39,39],[39,106,39,39,39,39,39,39],[39,39,106,39,39,39,39,39],[39,39,39,106,39,39,39,39],[39,39,39,39,106,39,39,39],[39,39,39,39,39,106,39,39],[39,39,39,39,39,39,106,39],[39,39,39,39,39,39,39,106]],"sha256":"e91e5cf1ad2b6f4f24098650a6d8be4b3f94f5fc20bedd4b55e75a1986cdc1af"},"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser');
INSERT INTO "surveys" VALUES(2,'proof','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you admit it?","name":"admits","privacy":{"mechanism":"table","rows":[[6,3,1],[1,3,6]]},"type":"yes_no"},{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Are you sure?","name":"sure","privacy":{"mechanism":"table","rows":[[6,0],[1,5]]},"type":"yes_no"}],"slug":"proof","title":"Elsewhere"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you admit it?","name":"admits","privacy":{"mechanism":"table","rows":[[6,3,1],[1,3,6]]},"type":"yes_no"},{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Are you sure?","name":"sure","privacy":{"mechanism":"table","rows":[[6,0],[1,5]]},"type":"yes_no"}],"slug":"proof","title":"Elsewhere"},"epsilon":null,"fingerprint":"b66e12b483c563266d31d021977e2c52fdbf864681449431f3b3e2075ae0a4cd","tables":{"admits":{"answers":["yes","no"],"epsilon":1.791759469228055,"reports":["r1","r2","r3"],"rows":[[6,3,1],[1,3,6]],"sha256":"805f6d51c6932c5c5dc7edaa98f631b5430b94aa50469c3004679fe2f1a1b8b4"},"sure":{"answers":["yes","no"],"epsilon":null,"reports":["yes","no"],"rows":[[6,0],[1,5]],"sha256":"a4c8e53b899eb96c9ea2518710b43e62fd3baf173242f1a936912cfd364faaba"}}}','closed','loaded');
INSERT INTO "surveys" VALUES(3,'later','{"introduction":"","language":"en","questions":[{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which?","name":"q1","privacy":{"epsilon":"0.7"},"type":"select_one"}],"slug":"later","title":"Later"}',NULL,'draft','browser');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
COMMIT;

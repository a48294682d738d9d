BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'candor','surveys_and_counts','2026-11-21 12:00:00.000000+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'candor','accounts_and_sessions','2026-11-21 12:00:00.000000+00:00');
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
INSERT INTO "counts" VALUES('closed','smokes',0,3);
INSERT INTO "counts" VALUES('closed','smokes',1,3);
INSERT INTO "counts" VALUES('coins','party',0,16);
INSERT INTO "counts" VALUES('coins','party',1,12);
INSERT INTO "counts" VALUES('coins','party',2,0);
INSERT INTO "counts" VALUES('coins','smokes',0,14);
INSERT INTO "counts" VALUES('coins','smokes',1,14);
INSERT INTO "counts" VALUES('made-up','smokes',0,4);
INSERT INTO "counts" VALUES('made-up','smokes',1,4);
CREATE TABLE "responses_closed" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_closed" VALUES(X'0BCD60A2866883662879EF0F7DC9CB30',0);
INSERT INTO "responses_closed" VALUES(X'23E4E765047A2366AD0CE5642C68811A',1);
INSERT INTO "responses_closed" VALUES(X'2D31C4B0B2A8F4DB163FF7837AE041F3',0);
INSERT INTO "responses_closed" VALUES(X'5D9AE6748FCB47E63483F8DE9114ACC7',1);
INSERT INTO "responses_closed" VALUES(X'BC9C2C4859470C014E0C4B25EF13406B',1);
INSERT INTO "responses_closed" VALUES(X'F7AA1C9C11BDFB90F5889051C039FEF3',0);
CREATE TABLE "responses_coins" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL, "party" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_coins" VALUES(X'00A3170FFB76DC37C1EAAAC499239549',0,0);
INSERT INTO "responses_coins" VALUES(X'084AB649FCBCE49B38BDECFACE4ABD12',0,1);
INSERT INTO "responses_coins" VALUES(X'0B08880F0F422DBB36FB94B3CB6D424F',1,1);
INSERT INTO "responses_coins" VALUES(X'1AFB962A02F2FD727628D2661118A88C',1,0);
INSERT INTO "responses_coins" VALUES(X'2405157F54B12EAE62D11E887EB0766D',1,1);
INSERT INTO "responses_coins" VALUES(X'24083FD22B902F8911E81818F8C99D5D',0,0);
INSERT INTO "responses_coins" VALUES(X'27745CCB9A31052E944CF1B220EAA2C7',0,0);
INSERT INTO "responses_coins" VALUES(X'3558CEF092A9317629B2FF5AE637052B',0,1);
INSERT INTO "responses_coins" VALUES(X'38B370A1B5769FA0F1483F95A90D9DF2',0,1);
INSERT INTO "responses_coins" VALUES(X'38B4E652E44DA7F2370D9E260E271365',0,0);
INSERT INTO "responses_coins" VALUES(X'42B24C6BA4E6ED24EC636A8AC0A1271E',1,0);
INSERT INTO "responses_coins" VALUES(X'4A1B89FC406DD85B24F0C6AE05765AE2',1,0);
INSERT INTO "responses_coins" VALUES(X'509FDC659C471564D277B4EAB08215DF',1,0);
INSERT INTO "responses_coins" VALUES(X'52EB74B74F3AC362881215E31ED32CAB',1,0);
INSERT INTO "responses_coins" VALUES(X'8FE0FEB17B4AA559CD9F28984B14267F',1,0);
INSERT INTO "responses_coins" VALUES(X'977C090AF4E146F6D03110AB86EFDE13',1,1);
INSERT INTO "responses_coins" VALUES(X'9CE2B10CCCDAEBF990D19838B0D7EC0B',0,1);
INSERT INTO "responses_coins" VALUES(X'9E9016037F84267C2E8CC2D45FCCD096',0,1);
INSERT INTO "responses_coins" VALUES(X'AF6E0D935520DD4C2147738606F2BF7E',1,1);
INSERT INTO "responses_coins" VALUES(X'BDC0A2262A7C3E15F09A1C2DBD7DBB26',0,0);
INSERT INTO "responses_coins" VALUES(X'D161E79587A766EC30E4037458A9905C',1,0);
INSERT INTO "responses_coins" VALUES(X'D235F11829FB388C22E44CB637F01210',0,0);
INSERT INTO "responses_coins" VALUES(X'D4F43A2AFFFCD3C12EF890575575E826',1,1);
INSERT INTO "responses_coins" VALUES(X'D85099095AA300165A67036F9B540D6B',0,0);
INSERT INTO "responses_coins" VALUES(X'D952BCD1B0AA366E09162EDD5F30DB8C',1,1);
INSERT INTO "responses_coins" VALUES(X'D9F73817CE6E118D264AAD6CB6DD210F',0,0);
INSERT INTO "responses_coins" VALUES(X'E2DB611A91BFE39469733A9247D58FA3',0,1);
INSERT INTO "responses_coins" VALUES(X'FE2008D737E8F517D69ED6F181BD1A45',1,0);
CREATE TABLE "responses_made_up" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_made_up" VALUES(X'0D2D13FC0A81713531ECCC70A5B38C29',0);
INSERT INTO "responses_made_up" VALUES(X'16BB18917F4CB926B3D75F899C91F919',1);
INSERT INTO "responses_made_up" VALUES(X'1CA0339D4A9150609D67072687AA68A2',1);
INSERT INTO "responses_made_up" VALUES(X'682CFB7A8B96DC7BBE8DD54F9E89FC15',0);
INSERT INTO "responses_made_up" VALUES(X'7C8D99F47185EE580FF82E9AA8D0395D',1);
INSERT INTO "responses_made_up" VALUES(X'95C10D570943C9995D98750DA08C351A',0);
INSERT INTO "responses_made_up" VALUES(X'A0E21D9DFA3987069D330012373FD4DF',0);
INSERT INTO "responses_made_up" VALUES(X'AB96721FC3CE871D26EE53D92407F27C',1);
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
INSERT INTO "surveys" VALUES(1,'coins','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which party?","name":"party","privacy":{"epsilon":2},"type":"select_one"}],"slug":"coins","title":"Coins"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which party?","name":"party","privacy":{"epsilon":2},"type":"select_one"}],"slug":"coins","title":"Coins"},"epsilon":3.0985896589936988,"fingerprint":"8e19f7ab9e4a3768948878d31023ea2e2d94e1c9462382cc2e8510cc934b3690","tables":{"party":{"answers":["a","b","c"],"epsilon":1.9999773703255892,"reports":["a","b","c"],"rows":[[133,18,18],[18,133,18],[18,18,133]],"sha256":"902d638ddfb7579ce07b573ebd90c5669d35f31923af71eb343bcc545dbc604c"},"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser');
INSERT INTO "surveys" VALUES(2,'closed','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"closed","title":"Closed"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"closed","title":"Closed"},"epsilon":1.0986122886681098,"fingerprint":"8e1117f96e831e47b0aaffd7cadc79314c31c8003c142f9eee81b28d35ca1625","tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','browser');
INSERT INTO "surveys" VALUES(3,'made-up','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"made-up","title":"Made-Up"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"made-up","title":"Made-Up"},"epsilon":1.0986122886681098,"fingerprint":"c9a1bc20fb2bef8e772a7376bb15d7218cc996ba00da050829b625384c634aa0","tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','simulated');
INSERT INTO "surveys" VALUES(4,'later','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"later","title":"Later"}',NULL,'draft','browser');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
COMMIT;

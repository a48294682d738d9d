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
INSERT INTO "counts" VALUES('coins','smokes',0,14);
INSERT INTO "counts" VALUES('coins','smokes',1,14);
INSERT INTO "counts" VALUES('every-type','colour',0,5);
INSERT INTO "counts" VALUES('every-type','colour',1,2);
INSERT INTO "counts" VALUES('every-type','colour',2,3);
INSERT INTO "counts" VALUES('every-type','colour',3,4);
INSERT INTO "counts" VALUES('every-type','colour',5,7);
INSERT INTO "counts" VALUES('every-type','colour',6,4);
INSERT INTO "counts" VALUES('every-type','colour',7,3);
INSERT INTO "counts" VALUES('every-type','glasses',0,2);
INSERT INTO "counts" VALUES('every-type','glasses',6,1);
INSERT INTO "counts" VALUES('every-type','glasses',10,1);
INSERT INTO "counts" VALUES('every-type','mood',0,1);
INSERT INTO "counts" VALUES('every-type','mood',2,2);
INSERT INTO "counts" VALUES('every-type','mood',3,1);
INSERT INTO "counts" VALUES('every-type','news',0,5);
INSERT INTO "counts" VALUES('every-type','news',1,7);
INSERT INTO "counts" VALUES('every-type','news',2,4);
INSERT INTO "counts" VALUES('every-type','news',3,8);
INSERT INTO "counts" VALUES('every-type','news',4,6);
INSERT INTO "counts" VALUES('every-type','news',5,6);
INSERT INTO "counts" VALUES('every-type','party',0,1);
INSERT INTO "counts" VALUES('every-type','party',1,3);
INSERT INTO "counts" VALUES('every-type','party',2,2);
INSERT INTO "counts" VALUES('every-type','party',3,2);
INSERT INTO "counts" VALUES('every-type','party',4,1);
INSERT INTO "counts" VALUES('every-type','party',5,3);
INSERT INTO "counts" VALUES('every-type','party',6,3);
INSERT INTO "counts" VALUES('every-type','party',7,1);
INSERT INTO "counts" VALUES('every-type','party',8,1);
INSERT INTO "counts" VALUES('every-type','party',9,3);
INSERT INTO "counts" VALUES('every-type','party',11,4);
INSERT INTO "counts" VALUES('every-type','party',13,4);
INSERT INTO "counts" VALUES('every-type','party',15,4);
INSERT INTO "counts" VALUES('every-type','pets',2,1);
INSERT INTO "counts" VALUES('every-type','pets',5,1);
INSERT INTO "counts" VALUES('every-type','pets',6,1);
INSERT INTO "counts" VALUES('every-type','pets',7,1);
INSERT INTO "counts" VALUES('every-type','pets',8,1);
INSERT INTO "counts" VALUES('every-type','region',0,3);
INSERT INTO "counts" VALUES('every-type','region',1,4);
INSERT INTO "counts" VALUES('every-type','region',2,1);
INSERT INTO "counts" VALUES('every-type','region',3,2);
INSERT INTO "counts" VALUES('every-type','region',4,2);
INSERT INTO "counts" VALUES('every-type','remarks',0,9);
INSERT INTO "counts" VALUES('every-type','remarks',1,3);
INSERT INTO "counts" VALUES('every-type','sleep',0,3);
INSERT INTO "counts" VALUES('every-type','sleep',1,6);
INSERT INTO "counts" VALUES('every-type','sleep',2,3);
INSERT INTO "counts" VALUES('every-type','smokes',0,3);
INSERT INTO "counts" VALUES('every-type','smokes',1,1);
INSERT INTO "counts" VALUES('every-type','tried',0,1);
INSERT INTO "counts" VALUES('every-type','tried',3,1);
INSERT INTO "counts" VALUES('every-type','tried',4,2);
INSERT INTO "counts" VALUES('every-type','tried',5,1);
INSERT INTO "counts" VALUES('every-type','tried',7,1);
INSERT INTO "counts" VALUES('every-type','tried',8,1);
INSERT INTO "counts" VALUES('every-type','tried',9,1);
INSERT INTO "counts" VALUES('every-type','weight',0,1);
INSERT INTO "counts" VALUES('every-type','weight',1,2);
INSERT INTO "counts" VALUES('every-type','weight',2,1);
INSERT INTO "counts" VALUES('every-type','years',32,1);
INSERT INTO "counts" VALUES('every-type','years',37,1);
INSERT INTO "counts" VALUES('every-type','years',39,1);
INSERT INTO "counts" VALUES('every-type','years',57,1);
INSERT INTO "counts" VALUES('every-type','years',61,1);
INSERT INTO "counts" VALUES('every-type','years',66,1);
INSERT INTO "counts" VALUES('every-type','years',67,1);
INSERT INTO "counts" VALUES('every-type','years',78,1);
INSERT INTO "counts" VALUES('every-type','years',80,1);
INSERT INTO "counts" VALUES('every-type','years',106,1);
INSERT INTO "counts" VALUES('every-type','years',111,1);
INSERT INTO "counts" VALUES('every-type','years',114,1);
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
CREATE TABLE "responses_every_type" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER, "party" TEXT, "colour" TEXT, "tried" TEXT, "pets" INTEGER, "mood" INTEGER, "glasses" INTEGER, "weight" INTEGER, "years" INTEGER NOT NULL, "region" INTEGER NOT NULL, "news" TEXT NOT NULL, "sleep" INTEGER NOT NULL, "remarks" TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_every_type" VALUES(X'029E8EE49B584BB7FFEAB6C87D160CE1',NULL,NULL,'1101',NULL,NULL,0,NULL,0,111,3,'100',0,'');
INSERT INTO "responses_every_type" VALUES(X'1FFBE26D9BBBDDBB7C3A78B33B94EDCF',NULL,'00110000',NULL,NULL,6,NULL,10,NULL,39,1,'011',0,'ไม่มี');
INSERT INTO "responses_every_type" VALUES(X'2B4E7EB8983417FC0449837E98374326',NULL,'01010000','1100',NULL,5,NULL,NULL,NULL,32,1,'000',1,'"quoted", and
broken');
INSERT INTO "responses_every_type" VALUES(X'32236B81DAA9A923A165EEE804F51486',NULL,NULL,'0000',NULL,NULL,2,NULL,1,57,0,'101',1,' ');
INSERT INTO "responses_every_type" VALUES(X'347B0E25DEB1350B5CD629D31F89D5D5',NULL,NULL,NULL,NULL,2,3,NULL,2,114,0,'011',1,'');
INSERT INTO "responses_every_type" VALUES(X'661CB898F559B76389E8A9C328917D53',NULL,NULL,NULL,'---01',7,2,NULL,NULL,78,4,'000',2,'Không');
INSERT INTO "responses_every_type" VALUES(X'8E6D6EDA496E23C0B19ABE2734C854A8',0,NULL,'0001','-01--',NULL,NULL,NULL,NULL,67,1,'001',1,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
INSERT INTO "responses_every_type" VALUES(X'A792389681AFAA0AD3C8DB643F2DC205',0,NULL,'1000',NULL,NULL,NULL,0,NULL,61,1,'111',2,'"quoted", and
broken');
INSERT INTO "responses_every_type" VALUES(X'A79AB54CADF8E24D9D0B32A17068993B',NULL,'00011000','1101',NULL,NULL,NULL,0,NULL,66,3,'000',1,'"quoted", and
broken');
INSERT INTO "responses_every_type" VALUES(X'AEA8A0153EC9E895C2B527F542F77887',1,NULL,NULL,'1-1--',NULL,NULL,6,NULL,106,0,'001',1,'=1+1');
INSERT INTO "responses_every_type" VALUES(X'CFCBBF48D34562B9D497639EB407AAA4',NULL,'11000000',NULL,'--0-0',8,NULL,NULL,NULL,37,4,'100',0,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
INSERT INTO "responses_every_type" VALUES(X'F2F50AB79C5556E485BC528391D698A0',0,NULL,'1001',NULL,NULL,NULL,NULL,1,80,2,'110',2,'--');
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
INSERT INTO "surveys" VALUES(5,'every-type','{"budget":{"per_respondent":{"sample":3}},"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","prefer_not_to_say":true,"privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"What of party?","name":"party","privacy":{"epsilon":1,"mechanism":"subset_selection","size":2},"type":"select_one"},{"choices":[{"label":"R","name":"r"},{"label":"G","name":"g"},{"label":"B","name":"b"},{"label":"W","name":"w"}],"label":"What of colour?","name":"colour","privacy":{"epsilon":1,"mechanism":"symmetric_unary_encoding"},"type":"select_one"},{"choices":[{"label":"V","name":"v"},{"label":"W","name":"w"},{"label":"X","name":"x"},{"label":"Y","name":"y"},{"label":"Z","name":"z"}],"label":"What of tried?","name":"tried","privacy":{"epsilon":2,"mechanism":"sampled_boxes","sample":2},"type":"select_multiple"},{"choices":[{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"F","name":"f"}],"label":"What of pets?","name":"pets","prefer_not_to_say":true,"privacy":{"epsilon":2,"mechanism":"joint_boxes"},"type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"},{"label":"4","name":"4"},{"label":"5","name":"5"}],"label":"What of mood?","name":"mood","privacy":{"epsilon":1,"mechanism":"exponential"},"type":"scale"},{"label":"What of glasses?","max":40,"min":0,"name":"glasses","otherwise":0,"privacy":{"epsilon":1},"relevant":{"smokes":["yes"]},"step":1,"type":"number"},{"label":"What of weight?","max":150,"min":30,"name":"weight","prefer_not_to_say":true,"privacy":{"epsilon":1,"mechanism":"one_bit"},"step":0.5,"type":"number","unit":"kg"},{"label":"Now something else.","name":"welcome","type":"note"},{"label":"What of years?","max":120,"min":0,"name":"years","prefer_not_to_say":true,"privacy":"none","step":1,"type":"number"},{"choices":[{"label":"N","name":"n"},{"label":"E","name":"e"},{"label":"S","name":"s"},{"label":"W","name":"w"}],"label":"What of region?","name":"region","privacy":"none","relevant":{"years":{"min":18}},"type":"select_one"},{"choices":[{"label":"P","name":"p"},{"label":"R","name":"r"},{"label":"T","name":"t"}],"label":"What of news?","name":"news","privacy":"none","type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"}],"label":"What of sleep?","name":"sleep","privacy":"none","type":"scale"},{"label":"What of remarks?","name":"remarks","privacy":"none","type":"text"}],"slug":"every-type","title":"Health"}','{"definition":{"budget":{"per_respondent":{"sample":3}},"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","prefer_not_to_say":true,"privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"What of party?","name":"party","privacy":{"epsilon":1,"mechanism":"subset_selection","size":2},"type":"select_one"},{"choices":[{"label":"R","name":"r"},{"label":"G","name":"g"},{"label":"B","name":"b"},{"label":"W","name":"w"}],"label":"What of colour?","name":"colour","privacy":{"epsilon":1,"mechanism":"symmetric_unary_encoding"},"type":"select_one"},{"choices":[{"label":"V","name":"v"},{"label":"W","name":"w"},{"label":"X","name":"x"},{"label":"Y","name":"y"},{"label":"Z","name":"z"}],"label":"What of tried?","name":"tried","privacy":{"epsilon":2,"mechanism":"sampled_boxes","sample":2},"type":"select_multiple"},{"choices":[{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"F","name":"f"}],"label":"What of pets?","name":"pets","prefer_not_to_say":true,"privacy":{"epsilon":2,"mechanism":"joint_boxes"},"type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"},{"label":"4","name":"4"},{"label":"5","name":"5"}],"label":"What of mood?","name":"mood","privacy":{"epsilon":1,"mechanism":"exponential"},"type":"scale"},{"label":"What of glasses?","max":40,"min":0,"name":"glasses","otherwise":0,"privacy":{"epsilon":1},"relevant":{"smokes":["yes"]},"step":1,"type":"number"},{"label":"What of weight?","max":150,"min":30,"name":"weight","prefer_not_to_say":true,"privacy":{"epsilon":1,"mechanism":"one_bit"},"step":0.5,"type":"number","unit":"kg"},{"label":"Now something else.","name":"welcome","type":"note"},{"label":"What of years?","max":120,"min":0,"name":"years","prefer_not_to_say":true,"privacy":"none","step":1,"type":"number"},{"choices":[{"label":"N","name":"n"},{"label":"E","name":"e"},{"label":"S","name":"s"},{"label":"W","name":"w"}],"label":"What of region?","name":"region","privacy":"none","relevant":{"years":{"min":18}},"type":"select_one"},{"choices":[{"label":"P","name":"p"},{"label":"R","name":"r"},{"label":"T","name":"t"}],"label":"What of news?","name":"news","privacy":"none","type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"}],"label":"What of sleep?","name":"sleep","privacy":"none","type":"scale"},{"label":"What of remarks?","name":"remarks","privacy":"none","type":"text"}],"slug":"every-type","title":"Health"},"epsilon":5.09834455495854,"fingerprint":"b655464d8ee71894904a9818ac086d0c376cd4d0a1226ba2ffe281c6f0cd56f6","tables":{"colour":{"answers":["r","g","b","w"],"epsilon":0.999911903058174,"kind":"unary","rows":[[61,37],[37,61]],"sha256":"cb272ea71aa5c2b59f419239ff1ddabb054cff419128b82e852839deba293de8"},"glasses":{"answers":["0","4","8","12","16","20","24","28","32","36","40"],"epsilon":0.9998774479824207,"reports":["-16","-12","-8","-4","0","4","8","12","16","20","24","28","32","36","40","44","48","52","56"],"rows":[[106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39,39,39],[39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39,39],[39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39],[39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39],[39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39],[39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39],[39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39],[39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39],[39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39],[39,39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39],[39,39,39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106]],"sha256":"50b2408461c6efd32d88debc04a9f08da145e047eff044d0baed4ca581df1c54","width":4},"mood":{"answers":["1","2","3","4","5"],"epsilon":0.9999882908957217,"reports":["1","2","3","4","5"],"rows":[[10873,8469,6595,5136,4000],[7511,9645,7511,5850,4556],[5642,7244,9301,7244,5642],[4556,5850,7511,9645,7511],[4000,5136,6595,8469,10873]],"sha256":"90bc320f5de3b4553fbc893872a2c45cb2ebc5ad6cf76696f16f52d91a31912c"},"party":{"answers":["a","b","c","d","e","f","g","h"],"epsilon":0.9998774479824206,"far":39,"kind":"subset","near":106,"sha256":"74ceb87fba11cdab73f421bb0380fa248dda9bc38d7ded513283039b1c4f1bd3","size":2},"pets":{"answers":["c","d","f","prefer_not_to_say"],"epsilon":1.9999773703255892,"reports":["000","100","010","110","001","101","011","111","prefer_not_to_say"],"rows":[[133,18,18,18,18,18,18,18,18],[18,133,18,18,18,18,18,18,18],[18,18,133,18,18,18,18,18,18],[18,18,18,133,18,18,18,18,18],[18,18,18,18,133,18,18,18,18],[18,18,18,18,18,133,18,18,18],[18,18,18,18,18,18,133,18,18],[18,18,18,18,18,18,18,133,18],[18,18,18,18,18,18,18,18,133]],"sha256":"144c69ac947a43e4925bcc501d75683ef597a19aa89388831da80d397543a561"},"smokes":{"answers":["yes","no","prefer_not_to_say"],"epsilon":1.0986122886681098,"reports":["yes","no","prefer_not_to_say"],"rows":[[3,1,1],[1,3,1],[1,1,3]],"sha256":"ab47b7fc4b8cd13e267344222df2f7e2d3888a409b496cf9db163523c0b9f9ec"},"tried":{"answers":["v","w","x","y","z"],"epsilon":1.9997548959648412,"kind":"boxes","rows":[[106,39],[39,106]],"sample":2,"sha256":"e0f88ef6f26d61a8aef53a2fde1208de2df74469a221da414d2f73c69b5c275f"},"weight":{"answers":["30","36","42","48","54","60","66","72","78","84","90","96","102","108","114","120","126","132","138","144","150","prefer_not_to_say"],"epsilon":0.9998774479824207,"reports":["r1","r2","prefer_not_to_say"],"rows":[[2120,780,780],[2053,847,780],[1986,914,780],[1919,981,780],[1852,1048,780],[1785,1115,780],[1718,1182,780],[1651,1249,780],[1584,1316,780],[1517,1383,780],[1450,1450,780],[1383,1517,780],[1316,1584,780],[1249,1651,780],[1182,1718,780],[1115,1785,780],[1048,1852,780],[981,1919,780],[914,1986,780],[847,2053,780],[780,2120,780],[780,780,2120]],"sha256":"d97ab7c6226f0adb59d2062ef99f5c5b07c7c8c56139be12b69c3ecc8500d898","width":12}}}','open','browser');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
COMMIT;

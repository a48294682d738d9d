BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'candor','0.1.0','2026-11-28 12:00:00.000000+00:00');
CREATE TABLE accounts (
        name TEXT PRIMARY KEY,
        password_hash TEXT NOT NULL,
        role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('analyst', 'editor', 'owner')),
        member INTEGER NOT NULL DEFAULT 0 CHECK (member IN (0, 1)),
        language TEXT NOT NULL DEFAULT ''
    ) STRICT
    ;
INSERT INTO "accounts" VALUES('ada','scrypt:not-a-hash','owner',0,'vi');
INSERT INTO "accounts" VALUES('bob','','analyst',0,'');
INSERT INTO "accounts" VALUES('mia','scrypt:not-a-hash','analyst',1,'');
CREATE TABLE acts (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        account TEXT NOT NULL,
        action TEXT NOT NULL,
        moment INTEGER NOT NULL
    ) STRICT
    ;
INSERT INTO "acts" VALUES(1,'coins','ada','opened the survey',1795000000);
CREATE TABLE api_tokens (
        token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
        account TEXT NOT NULL,
        label TEXT NOT NULL,
        made TEXT NOT NULL,
        expires TEXT NOT NULL,
        used TEXT,
        UNIQUE (account, label)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "api_tokens" VALUES(X'0000000000000000000000000000000000000000000000000000000000000000','ada','R','2026-01-01','2026-04-01',NULL);
CREATE TABLE coded_texts (
        survey TEXT NOT NULL,
        text BLOB NOT NULL CHECK (length(text) = 32),
        account TEXT NOT NULL,
        code INTEGER NOT NULL,
        PRIMARY KEY (survey, text, account, code)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "coded_texts" VALUES('remarks-alone',X'0000000000000000000000000000000000000000000000000000000000000000','ada',0);
CREATE TABLE codes (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        UNIQUE (survey, name)
    ) STRICT
    ;
INSERT INTO "codes" VALUES(274074564067059,'remarks-alone','thanks');
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
INSERT INTO "counts" VALUES('coins','party',0,14);
INSERT INTO "counts" VALUES('coins','party',1,11);
INSERT INTO "counts" VALUES('coins','smokes',0,12);
INSERT INTO "counts" VALUES('coins','smokes',1,13);
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
INSERT INTO "counts" VALUES('later.pilot','smokes',0,4);
INSERT INTO "counts" VALUES('later.pilot','smokes',1,4);
INSERT INTO "counts" VALUES('later.pilot-answers','smokes',0,5);
INSERT INTO "counts" VALUES('later.pilot-answers','smokes',1,3);
INSERT INTO "counts" VALUES('made-up','smokes',0,4);
INSERT INTO "counts" VALUES('made-up','smokes',1,4);
INSERT INTO "counts" VALUES('open-means','hours',0,12);
INSERT INTO "counts" VALUES('open-means','hours',1,13);
INSERT INTO "counts" VALUES('receipts','smokes',0,3);
INSERT INTO "counts" VALUES('receipts','smokes',1,6);
INSERT INTO "counts" VALUES('remarks','smokes',0,5);
INSERT INTO "counts" VALUES('remarks','smokes',1,4);
INSERT INTO "counts" VALUES('remarks-alone','region',0,4);
INSERT INTO "counts" VALUES('remarks-alone','region',1,6);
INSERT INTO "counts" VALUES('remarks-alone','remarks',0,8);
INSERT INTO "counts" VALUES('remarks-alone','remarks',1,2);
INSERT INTO "counts" VALUES('remarks.by-hand','smokes',0,6);
INSERT INTO "counts" VALUES('remarks.by-hand','smokes',1,4);
INSERT INTO "counts" VALUES('remarks.practice','smokes',1,1);
INSERT INTO "counts" VALUES('told','age',0,1);
INSERT INTO "counts" VALUES('told','age',4,1);
INSERT INTO "counts" VALUES('told','age',13,1);
INSERT INTO "counts" VALUES('told','age',17,1);
INSERT INTO "counts" VALUES('told','age',19,1);
INSERT INTO "counts" VALUES('told','age',20,1);
INSERT INTO "counts" VALUES('told','age',22,1);
INSERT INTO "counts" VALUES('told','age',25,1);
INSERT INTO "counts" VALUES('told','age',26,1);
INSERT INTO "counts" VALUES('told','age',29,1);
INSERT INTO "counts" VALUES('told','age',31,3);
INSERT INTO "counts" VALUES('told','age',33,1);
INSERT INTO "counts" VALUES('told','age',37,1);
INSERT INTO "counts" VALUES('told','age',41,1);
INSERT INTO "counts" VALUES('told','age',47,2);
INSERT INTO "counts" VALUES('told','age',50,1);
INSERT INTO "counts" VALUES('told','age',53,1);
INSERT INTO "counts" VALUES('told','age',58,1);
INSERT INTO "counts" VALUES('told','age',70,1);
INSERT INTO "counts" VALUES('told','age',72,1);
INSERT INTO "counts" VALUES('told','age',74,1);
INSERT INTO "counts" VALUES('told','age',83,2);
INSERT INTO "counts" VALUES('told','age',90,1);
INSERT INTO "counts" VALUES('told','age',94,1);
INSERT INTO "counts" VALUES('told','age',95,1);
INSERT INTO "counts" VALUES('told','age',99,1);
INSERT INTO "counts" VALUES('told','smokes',0,13);
INSERT INTO "counts" VALUES('told','smokes',1,17);
CREATE TABLE deleted_drafts (
        number INTEGER PRIMARY KEY,
        definition TEXT NOT NULL,
        tables TEXT,
        creator TEXT,
        created TEXT,
        deleted TEXT NOT NULL,
        roles TEXT NOT NULL
    ) STRICT
    ;
INSERT INTO "deleted_drafts" VALUES(91459830306007,'{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"gone","title":"Gone"}','{"version":2,"tables":{"59bd04d51d7995de4a85bbf218e769fe805d1271343b7d119a80d3b305fd641a":{"rows":[[3,1],[1,3]],"sha256":"1020a39957f0d9a27575083eecf5e1fb4220c516992a469a72f6ba7cbd85b1cb"}}}','ada','2026-11-20','2026-11-20','{}');
CREATE TABLE designs (survey TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "designs" VALUES('every-type','region,weight
n,1.5
');
CREATE TABLE failed_sign_ins (account TEXT PRIMARY KEY, tries INTEGER NOT NULL) STRICT;
INSERT INTO "failed_sign_ins" VALUES('',1);
CREATE TABLE invitations (
        survey TEXT NOT NULL,
        token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
        spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
        PRIMARY KEY (survey, token_hash)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "invitations" VALUES('receipts',X'055ABBBA70497A5192884E7A47FF52C3FF0DF88F570A859E95A6CA9F3447FE93',0);
INSERT INTO "invitations" VALUES('receipts',X'11BB14FC49D52A1C112D26C7D69587D43493B2C2B9019BD1D80F8B61DFD45DC2',1);
INSERT INTO "invitations" VALUES('receipts',X'1865D4D10EEC4E9E51772583DC378C30D30AE4492AF16D20F34FC5BCEC8DB508',1);
INSERT INTO "invitations" VALUES('receipts',X'1E9ACA4DB012C29DB820EF521EB1E1043BA376750D0A00924DA96952EA372025',1);
INSERT INTO "invitations" VALUES('receipts',X'356F021A60A19A559B97535FD5C5EA242615AA959A63F610615BF7EC0A89CAAC',1);
INSERT INTO "invitations" VALUES('receipts',X'412B1530AB3886047E850C0104BC8871F24DAF62D21B26602A26A9FCB7574598',0);
INSERT INTO "invitations" VALUES('receipts',X'7261B7E8E263485E039C47E80387779181541434584D80E7EC9FC0048711E518',1);
INSERT INTO "invitations" VALUES('receipts',X'77EDC2AFB95B0E1CFA08C67ABAF75F2E91039B0A524B7F1C871016EBC00678E5',0);
INSERT INTO "invitations" VALUES('receipts',X'7E4933B12F7DC7C5F47F02D3DDBCA020DE003EFDB5C106D4266EF2A1947E582A',0);
INSERT INTO "invitations" VALUES('receipts',X'84577A502AEBD4F6426CFC3C0F0DC2CB5A0C80FED8D688AC5FBF6E25DBE3899D',1);
INSERT INTO "invitations" VALUES('receipts',X'863552985A597F6344BC06BC0C9E61F6B1363C2AA935B10087B537AE84E185F5',1);
INSERT INTO "invitations" VALUES('receipts',X'8ED053D74FE9244C2C66626C309F86F66BF5B3540C59E3EADE1A46315B1CAF4E',1);
INSERT INTO "invitations" VALUES('receipts',X'8F3237EAA04A63D4D9B8CF128AB5BD2D95BF7D9447E9B2E4D2B1303B794A3C94',1);
INSERT INTO "invitations" VALUES('receipts',X'995CE25448212BA7ACD0A6EA29AF867C23A50E846C11E16933C4FF89DAEE189B',1);
INSERT INTO "invitations" VALUES('receipts',X'9EA8EE8FF0673F2D5C5BD7309DA394AC2AF071D59EA68E37FE9F882B9E9D756E',1);
INSERT INTO "invitations" VALUES('receipts',X'AC79D32DD16453A25E6975B09BD6CA087CD320F788840834DFD6BD6746C74480',1);
INSERT INTO "invitations" VALUES('receipts',X'C60B93990036F7F56AC4D32D852C8069C1D3E5B4B95535608CD131FEE90C0FFE',1);
INSERT INTO "invitations" VALUES('receipts',X'C870FB5F0CBCF01A88CF797AC17D462BB96F14E5E9119952AE88212853151E59',0);
INSERT INTO "invitations" VALUES('receipts',X'CBBEB923602908DF8B23F07140D276DAEB071630B3A25DDC2FE6CD02625F149D',0);
INSERT INTO "invitations" VALUES('receipts',X'E5A3C6BB1DBF5AB70DADD0F54C210BEA50B00E496549D1139C70765FC6E87A18',1);
CREATE TABLE links (
        token_hash TEXT PRIMARY KEY,
        account TEXT NOT NULL UNIQUE,
        expires INTEGER NOT NULL
    ) STRICT
    ;
INSERT INTO "links" VALUES('a link','bob',8589934592);
CREATE TABLE pilots (survey TEXT PRIMARY KEY, truth TEXT NOT NULL) STRICT;
INSERT INTO "pilots" VALUES('later.pilot','{"smokes":{"yes":0.3}}');
CREATE TABLE published (survey TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO "published" VALUES('coins');
CREATE TABLE recovery_codes (
        code_hash BLOB PRIMARY KEY CHECK (length(code_hash) = 32),
        account TEXT NOT NULL
    ) STRICT
    ;
INSERT INTO "recovery_codes" VALUES(X'0000000000000000000000000000000000000000000000000000000000000000','ada');
CREATE TABLE release_budgets (
        survey TEXT PRIMARY KEY,
        epsilon TEXT NOT NULL,
        delta TEXT NOT NULL,
        public INTEGER NOT NULL CHECK (public IN (0, 1))
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "release_budgets" VALUES('told','2','0.00001',1);
CREATE TABLE releases (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        request TEXT NOT NULL,
        responses INTEGER NOT NULL,
        drawn TEXT NOT NULL,
        day TEXT NOT NULL,
        UNIQUE (survey, request)
    ) STRICT
    ;
INSERT INTO "releases" VALUES(1,'told','{"epsilon":"0.5","mechanism":"laplace","question":"age","statistic":"count"}',30,'[[31]]','2026-11-20');
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
CREATE TABLE "responses_later.pilot" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_later.pilot" VALUES(X'0C369AEC96B58F46B7CA224C3C2DF700',0);
INSERT INTO "responses_later.pilot" VALUES(X'0E4F2A696BC87D3F74BBD3CF3AC21AA0',1);
INSERT INTO "responses_later.pilot" VALUES(X'13E2EB5CF769B6454DA7C05549252BF5',0);
INSERT INTO "responses_later.pilot" VALUES(X'2C304EBF2B0D1710797D07E655AB099B',1);
INSERT INTO "responses_later.pilot" VALUES(X'3D01680ADC3325609A37EC087305CC76',0);
INSERT INTO "responses_later.pilot" VALUES(X'3FBC1D43A78D16BFA47075B7112488B0',1);
INSERT INTO "responses_later.pilot" VALUES(X'7790A7CDFC258AEBC67CDF0F3ACCCB41',0);
INSERT INTO "responses_later.pilot" VALUES(X'EFAF3506F1EF75D3C3A8DE3B207B751B',1);
CREATE TABLE "responses_later.pilot_answers" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_later.pilot_answers" VALUES(X'081E75CD97B359EEFE8C0DBD9009A64D',0);
INSERT INTO "responses_later.pilot_answers" VALUES(X'184230CAA09A44407904DEE90E6C106E',1);
INSERT INTO "responses_later.pilot_answers" VALUES(X'4AAC2FB74261EFF402FE3A77D17B33F4',1);
INSERT INTO "responses_later.pilot_answers" VALUES(X'6203759BF4D5733C31B0EA535D617ADC',1);
INSERT INTO "responses_later.pilot_answers" VALUES(X'991AF92176EC97ED0E491D7F121BD52E',0);
INSERT INTO "responses_later.pilot_answers" VALUES(X'9D8B4F3F79BF6268F75792108CA548A6',0);
INSERT INTO "responses_later.pilot_answers" VALUES(X'9EE10A8389068332A47E4564841DBDC0',0);
INSERT INTO "responses_later.pilot_answers" VALUES(X'A0C1F57532C1A25C1448A9C81E7241C8',0);
CREATE TABLE "responses_made_up" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_made_up" VALUES(X'0D2D13FC0A81713531ECCC70A5B38C29',0);
INSERT INTO "responses_made_up" VALUES(X'16BB18917F4CB926B3D75F899C91F919',1);
INSERT INTO "responses_made_up" VALUES(X'1CA0339D4A9150609D67072687AA68A2',1);
INSERT INTO "responses_made_up" VALUES(X'682CFB7A8B96DC7BBE8DD54F9E89FC15',0);
INSERT INTO "responses_made_up" VALUES(X'7C8D99F47185EE580FF82E9AA8D0395D',1);
INSERT INTO "responses_made_up" VALUES(X'95C10D570943C9995D98750DA08C351A',0);
INSERT INTO "responses_made_up" VALUES(X'A0E21D9DFA3987069D330012373FD4DF',0);
INSERT INTO "responses_made_up" VALUES(X'AB96721FC3CE871D26EE53D92407F27C',1);
CREATE TABLE "responses_open_means" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "hours" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_open_means" VALUES(X'0C6865BD2CF661A679C6C9F9A4D8D875',1);
INSERT INTO "responses_open_means" VALUES(X'17E91A3C73B3B5BADC24A6C1D7228934',0);
INSERT INTO "responses_open_means" VALUES(X'196609E3C16FD81C6DE50DB4D1FE7C5D',0);
INSERT INTO "responses_open_means" VALUES(X'1E25F476CA104577B5006277DE3C65C4',0);
INSERT INTO "responses_open_means" VALUES(X'24D419138F5FDB948C1A1E17F61D4924',1);
INSERT INTO "responses_open_means" VALUES(X'2F2758C4BDA4F70B5F02F29D24B6FEA1',0);
INSERT INTO "responses_open_means" VALUES(X'397F224ABA1C7F7504299313A3D0E4D1',1);
INSERT INTO "responses_open_means" VALUES(X'42A4FB8E54F0FF0C6458B5A009BED204',0);
INSERT INTO "responses_open_means" VALUES(X'458C8FD3A99CBCAF210E8595D79347CC',0);
INSERT INTO "responses_open_means" VALUES(X'46C18F405EF628CFB2270F13B2369CD8',1);
INSERT INTO "responses_open_means" VALUES(X'5E2DFBAC175D577DF291754A9C9078B5',1);
INSERT INTO "responses_open_means" VALUES(X'63EF48FEFD17C7E43E47908CCD0C0233',1);
INSERT INTO "responses_open_means" VALUES(X'679E74FE95B8C644527E086348E4B735',0);
INSERT INTO "responses_open_means" VALUES(X'6F31D513E048869959A6BD255A12EF54',1);
INSERT INTO "responses_open_means" VALUES(X'6F64427D7BEE87433435D9001294FA74',0);
INSERT INTO "responses_open_means" VALUES(X'73CAE6F30FB40B5CE267F221542D769A',1);
INSERT INTO "responses_open_means" VALUES(X'79BC74D8D17BEF617F39A513F168A07A',1);
INSERT INTO "responses_open_means" VALUES(X'79D8A2F55DCEDB1AEB0D6A60C360F8D5',1);
INSERT INTO "responses_open_means" VALUES(X'A3F4CAA67B7C43BEF10761B11248EE4D',0);
INSERT INTO "responses_open_means" VALUES(X'AA518EBFF19FB8EEF1B5C28081FED9E5',0);
INSERT INTO "responses_open_means" VALUES(X'AC59F6F8A54B08ACE2147A193F0C33B1',0);
INSERT INTO "responses_open_means" VALUES(X'AD2E31034BEC7F7BE37A870FDC425D7C',1);
INSERT INTO "responses_open_means" VALUES(X'CD7266FA658BFA154E5DAEEF4AEF1279',0);
INSERT INTO "responses_open_means" VALUES(X'E0D9C7A8634AA78601ADE8102606E8BE',1);
INSERT INTO "responses_open_means" VALUES(X'EDE6BBC016761E8142DF87915A78BED5',0);
INSERT INTO "responses_open_means" VALUES(X'FF91C815F722FA078879B70A40651222',1);
CREATE TABLE "responses_receipts" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_receipts" VALUES(X'0684D240FCF0495F195BA210C20D9564',1);
INSERT INTO "responses_receipts" VALUES(X'098F7CAEEC066573B98FC967C7A94C4D',0);
INSERT INTO "responses_receipts" VALUES(X'18F7CFD6AA56F4659407BB1EFB0A9CF0',0);
INSERT INTO "responses_receipts" VALUES(X'358C5B067380B828114EEB00E58C30F3',1);
INSERT INTO "responses_receipts" VALUES(X'3679AD6F6F78CE827A40CB5071F29930',1);
INSERT INTO "responses_receipts" VALUES(X'381CFFC82B3FC7F47CDE806D1C4B5FE2',0);
INSERT INTO "responses_receipts" VALUES(X'61B688B605300003F110CDE66D996ABD',1);
INSERT INTO "responses_receipts" VALUES(X'79DFD74740A8091A2CCE360D6053ADD5',1);
INSERT INTO "responses_receipts" VALUES(X'896119D76BACD154841F7200E48C1553',1);
INSERT INTO "responses_receipts" VALUES(X'9907E8EC6DDD946D98B272C112937046',0);
INSERT INTO "responses_receipts" VALUES(X'9EDDB0FFE77AB6DE0F48D496F9FE8E13',1);
INSERT INTO "responses_receipts" VALUES(X'B1F78CA2A3D182EFDF401F2698BED33F',1);
INSERT INTO "responses_receipts" VALUES(X'B595757F4D0AD0E5CE0D4BE0C9B6737C',1);
CREATE TABLE "responses_remarks" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks" VALUES(X'012AB912E2B93A64431C24EE4E8D44ED',1);
INSERT INTO "responses_remarks" VALUES(X'03A64E7C01C0890C3F9F72E9BA4241ED',0);
INSERT INTO "responses_remarks" VALUES(X'1246F469FB67EFBE31E22F8629E2C235',1);
INSERT INTO "responses_remarks" VALUES(X'1AC8C215E7292F8D3A67E0C63BB41F0A',0);
INSERT INTO "responses_remarks" VALUES(X'31822048FCC63A4CC65B7841EE3B31BD',1);
INSERT INTO "responses_remarks" VALUES(X'35223735A2A227800CFDECE772DDD3CF',0);
INSERT INTO "responses_remarks" VALUES(X'4266373D2A42495EAAB82342631D32CF',0);
INSERT INTO "responses_remarks" VALUES(X'7A986B6D5291BC2359A83B8C75974131',1);
INSERT INTO "responses_remarks" VALUES(X'A5E835B80BB0A0141276AA0CCD95F7EE',1);
INSERT INTO "responses_remarks" VALUES(X'AD4F0B476E100493B638BAF76D7A325C',0);
INSERT INTO "responses_remarks" VALUES(X'B26B9B3F63B679C85E70EA1BE9FB4A39',1);
INSERT INTO "responses_remarks" VALUES(X'C09F6145C10994E584A89A3FF8927262',0);
INSERT INTO "responses_remarks" VALUES(X'CA429320071C41082AE6D96C6190A2B5',1);
CREATE TABLE "responses_remarks.by_hand" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks.by_hand" VALUES(X'06FFC05CAAB0BCAE54BB7765FD58B532',1);
INSERT INTO "responses_remarks.by_hand" VALUES(X'2B9DAD02500C9889E47F304DB45E12FF',0);
INSERT INTO "responses_remarks.by_hand" VALUES(X'2E2262F6716FC2206C8460A06E917540',0);
INSERT INTO "responses_remarks.by_hand" VALUES(X'2F950212CCB0E34C607B41860EDE8BF1',0);
INSERT INTO "responses_remarks.by_hand" VALUES(X'57E8E57E56A948F8AF514E335C9ACC4F',0);
INSERT INTO "responses_remarks.by_hand" VALUES(X'876A2C7CE06AC26A51B60FE96FB950AA',0);
INSERT INTO "responses_remarks.by_hand" VALUES(X'977AD843D235AEC28362ABE328B8804B',1);
INSERT INTO "responses_remarks.by_hand" VALUES(X'A2DB93051A89B1318642917FC66E85E2',1);
INSERT INTO "responses_remarks.by_hand" VALUES(X'C0C7D7AA9664A06C0B57D7ECE39BC65E',1);
INSERT INTO "responses_remarks.by_hand" VALUES(X'DD22BA8615C3193CA456088CEA373F3F',0);
CREATE TABLE "responses_remarks.comprehension" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "learnt" INTEGER NOT NULL, "meaning" INTEGER NOT NULL, "who" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE "responses_remarks.practice" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks.practice" VALUES(X'6B2E03EC1CCBB9644E6EEA0DBCD48336',1);
CREATE TABLE "responses_remarks.practice_texts" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "remarks" TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks.practice_texts" VALUES(X'04880C06A0E85FF9DCC99B98C8485424','A test.');
CREATE TABLE "responses_remarks.texts" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "remarks" TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks.texts" VALUES(X'03993B873AF9E3A26A72FB6FA243D6B2','Không');
INSERT INTO "responses_remarks.texts" VALUES(X'09360FC486D0EBD14A9CA5314349163B','No more.');
INSERT INTO "responses_remarks.texts" VALUES(X'12691EBDC88BEEF9B2111FA779709A42','Không');
INSERT INTO "responses_remarks.texts" VALUES(X'18E4D38C8C799720681CB72B700EE178','Không');
INSERT INTO "responses_remarks.texts" VALUES(X'2AF37E0765D0EAF5D6636C69A42E64B4','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'32477A604D702E457A7A9456D7588AC0','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'33D2EF759491524709177DF526C6FC50','');
INSERT INTO "responses_remarks.texts" VALUES(X'5A865900FDB844C8FAB62A20BA278A3B','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'5A98BA0182660CCCC3CCC74A9D9237BD','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'67657C3EE31039174CD1B82CD8608A57','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'7A59710E4D05E2F276F44498185C7925','No more.');
INSERT INTO "responses_remarks.texts" VALUES(X'8E737BBB60D32F69A0966B733F026B9D','No more.');
INSERT INTO "responses_remarks.texts" VALUES(X'98578527BDF1ED269AC0B985C39ECDF8','two
lines');
INSERT INTO "responses_remarks.texts" VALUES(X'B6F09BED7AD059D3F8EC21870B9AFFDA','');
INSERT INTO "responses_remarks.texts" VALUES(X'C47B5666059B52A58AC623724ED98C6E','');
INSERT INTO "responses_remarks.texts" VALUES(X'C85B407FEF21E68C3D9353383DE5F673','');
INSERT INTO "responses_remarks.texts" VALUES(X'CFF3E71BF07AB1F3D60DA49FE16FEA7E','No more.');
INSERT INTO "responses_remarks.texts" VALUES(X'D09FA9AC41D3ACA50B29866B2A73C214','');
INSERT INTO "responses_remarks.texts" VALUES(X'D7573895E95D1331BE565963B927C942','');
INSERT INTO "responses_remarks.texts" VALUES(X'E1A60E3AD68A317ED99BBA08397121B2','No more.');
INSERT INTO "responses_remarks.texts" VALUES(X'E63C81C3E65D4CE5AB47E3CD191C2879','');
INSERT INTO "responses_remarks.texts" VALUES(X'F277D2915791BF336DE922E37F132405','Không');
INSERT INTO "responses_remarks.texts" VALUES(X'F6433920770ECFAF3E8BDE80CB557B87','two
lines');
CREATE TABLE "responses_remarks_alone" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "region" INTEGER NOT NULL, "remarks" TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_remarks_alone" VALUES(X'122A6A311B64C452CE693F5D98FDC0BC',1,'Không');
INSERT INTO "responses_remarks_alone" VALUES(X'637ADAF6D10A41C276531835EE2D5061',1,'');
INSERT INTO "responses_remarks_alone" VALUES(X'730D4C5B38A0CBC417A652D25AE9064F',0,'No more.');
INSERT INTO "responses_remarks_alone" VALUES(X'761D6FD208C4CECDF8FFB46EEF747716',1,'No more.');
INSERT INTO "responses_remarks_alone" VALUES(X'77AF542BDBA5E41BCB22BC0033AB0714',1,'');
INSERT INTO "responses_remarks_alone" VALUES(X'795BA1E538157B799C90C007F79BB4A1',1,'two
lines');
INSERT INTO "responses_remarks_alone" VALUES(X'BA9E9CF4EAAC9AE28458AB1FF724A68F',1,'two
lines');
INSERT INTO "responses_remarks_alone" VALUES(X'D9356A5F9CA5A18AC4C564EB7CD44372',0,'Không');
INSERT INTO "responses_remarks_alone" VALUES(X'E464A147CBE1AC1479BBF959971F916B',0,'No more.');
INSERT INTO "responses_remarks_alone" VALUES(X'EF209C0C75B08BB4B8F03479C16E1A32',0,'two
lines');
CREATE TABLE "responses_told" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), "smokes" INTEGER NOT NULL, "age" INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "responses_told" VALUES(X'06403FDD540044C4E68222FFA04A5ECD',0,83);
INSERT INTO "responses_told" VALUES(X'068BE729FD64D465CC1E06B22C316B45',0,19);
INSERT INTO "responses_told" VALUES(X'1C189D988A4CAFB52EE9B49E3FEA8559',1,22);
INSERT INTO "responses_told" VALUES(X'1E4960BAF856AC670B882334421626F1',1,4);
INSERT INTO "responses_told" VALUES(X'23EDE768D136FDFC486D86486EA8F5AA',1,74);
INSERT INTO "responses_told" VALUES(X'258819F281779F01F666141BBD6630A3',1,90);
INSERT INTO "responses_told" VALUES(X'36FB841E736FE60C35DE8730E7EDB999',1,20);
INSERT INTO "responses_told" VALUES(X'400FEC4F7088F31322881234B0310E08',1,47);
INSERT INTO "responses_told" VALUES(X'4010D2A61FF7F8E9DCC21434640B93D0',0,99);
INSERT INTO "responses_told" VALUES(X'4785BADD389D812D2620F97219F9609A',0,26);
INSERT INTO "responses_told" VALUES(X'482A3265EFA2FDA987D1D58C01BB9027',1,31);
INSERT INTO "responses_told" VALUES(X'489CB7377C9E960916AF635E4D530B57',0,17);
INSERT INTO "responses_told" VALUES(X'6DCA30247C7F4E0BAACC37340DBAF7FF',1,58);
INSERT INTO "responses_told" VALUES(X'73F78B42434866C68C581CC7386C2DAA',0,53);
INSERT INTO "responses_told" VALUES(X'8098BE4E31EAF76A1E2F04F454F9250D',0,41);
INSERT INTO "responses_told" VALUES(X'8D88321012D57D68758CF419946CBCCB',1,25);
INSERT INTO "responses_told" VALUES(X'926DA1A3C809B488DEC6551708D52EA7',0,31);
INSERT INTO "responses_told" VALUES(X'A227550AD8597BE045722E4BCBDA9E3B',1,70);
INSERT INTO "responses_told" VALUES(X'A6C6205D2186FCA4A3CD7B3258F40664',0,83);
INSERT INTO "responses_told" VALUES(X'C3E1FD67946AEA93FDAA01E2ADC15E5D',1,47);
INSERT INTO "responses_told" VALUES(X'C45CA6AD0DE42E5F4EAB652F92C2FA9E',1,72);
INSERT INTO "responses_told" VALUES(X'C5F2F64F4571CEBE6F750791D7D339E2',0,50);
INSERT INTO "responses_told" VALUES(X'C605424192D5C9095CCF7399C15273BB',0,95);
INSERT INTO "responses_told" VALUES(X'DF42705B0F26016A332A9C6A639EA904',1,31);
INSERT INTO "responses_told" VALUES(X'E0DD1FEE3DD73A13EBEB4A5F9F463E83',0,33);
INSERT INTO "responses_told" VALUES(X'E2317B6C31E9101DFEAC03D20A392A17',1,29);
INSERT INTO "responses_told" VALUES(X'E38B97CB904BE17E83AA4C8CF31DC77B',1,94);
INSERT INTO "responses_told" VALUES(X'F53E14F92DE5F2D3C12F4C952C93B431',1,13);
INSERT INTO "responses_told" VALUES(X'F82081010D63256F1843D1E637C41428',0,0);
INSERT INTO "responses_told" VALUES(X'FBC9E902E90B9FD10A9BC653AAE3B368',1,37);
CREATE TABLE saved_analyses (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        analysis TEXT NOT NULL,
        query TEXT NOT NULL,
        UNIQUE (survey, name)
    ) STRICT
    ;
INSERT INTO "saved_analyses" VALUES(4650606844532,'coins','Both','crosstab','rows=smokes');
CREATE TABLE second_factors (
        account TEXT PRIMARY KEY,
        salt BLOB NOT NULL CHECK (length(salt) = 16),
        confirmed INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
        last_step INTEGER NOT NULL
    ) STRICT
    ;
INSERT INTO "second_factors" VALUES('ada',X'00000000000000000000000000000000',1,5);
CREATE TABLE sessions (
        token_hash TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        created INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1))
    ) STRICT
    ;
INSERT INTO "sessions" VALUES('a session','ada',1795000000,1795000000,0);
CREATE TABLE setup (token_hash TEXT PRIMARY KEY) STRICT;
CREATE TABLE shares (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32)
    ) STRICT
    ;
INSERT INTO "shares" VALUES(1,'coins','a paper',X'0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE survey_roles (
        account TEXT NOT NULL,
        survey TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('analyst', 'editor')),
        PRIMARY KEY (account, survey)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "survey_roles" VALUES('mia','coins','editor');
CREATE TABLE surveys (
        number INTEGER PRIMARY KEY,
        slug TEXT NOT NULL UNIQUE,
        definition TEXT NOT NULL,
        document TEXT,
        state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'closed')),
        origin TEXT NOT NULL CHECK (origin IN ('browser', 'loaded', 'simulated')),
        closed_before INTEGER NOT NULL DEFAULT 0 CHECK (closed_before IN (0, 1)),
        archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
        cap INTEGER CHECK (cap > 0),
        target INTEGER CHECK (target > 0),
        closes INTEGER,
        tables TEXT,
        epsilon TEXT,
        creator TEXT,
        created TEXT,
        opened TEXT,
        texts_published INTEGER NOT NULL DEFAULT 0,
        CHECK ((state = 'draft') = (document IS NULL))
    ) STRICT
    ;
INSERT INTO "surveys" VALUES(1,'coins','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which party?","name":"party","privacy":{"epsilon":2},"type":"select_one"}],"slug":"coins","title":"Coins"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which party?","name":"party","privacy":{"epsilon":2},"type":"select_one"}],"slug":"coins","title":"Coins"},"epsilon":3.0985896589936988,"fingerprint":"35e6cf80ec46a53d4ee1da701ea3d10281fde8af3bbd4488e0a3ea49748331f7","limits":{"certainty":99,"epsilon":12},"tables":{"party":{"answers":["a","b","c"],"epsilon":1.9999773703255892,"reports":["a","b","c"],"rows":[[133,18,18],[18,133,18],[18,18,133]],"sha256":"902d638ddfb7579ce07b573ebd90c5669d35f31923af71eb343bcc545dbc604c"},"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser',0,0,100,90,8589934592,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(2,'closed','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"closed","title":"Closed"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"closed","title":"Closed"},"epsilon":1.0986122886681098,"fingerprint":"f078931320724de218a56f55314d9109b64aee0ab1d057ce0bf7d9c869307b7c","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','browser',1,1,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(3,'made-up','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"made-up","title":"Made-Up"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"made-up","title":"Made-Up"},"epsilon":1.0986122886681098,"fingerprint":"083bf176d4a01936d4f529643ffb09dc6208331f74979c40eec472bba6bf6b4e","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','simulated',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20',NULL,0);
INSERT INTO "surveys" VALUES(4,'later','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"later","title":"Later"}',NULL,'draft','browser',0,0,NULL,NULL,NULL,'{"version":2,"tables":{"59bd04d51d7995de4a85bbf218e769fe805d1271343b7d119a80d3b305fd641a":{"rows":[[3,1],[1,3]],"sha256":"1020a39957f0d9a27575083eecf5e1fb4220c516992a469a72f6ba7cbd85b1cb"}}}','1.0986122886681098',NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(5,'every-type','{"batch":1,"budget":{"per_respondent":{"sample":3}},"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","prefer_not_to_say":true,"privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"What of party?","name":"party","privacy":{"epsilon":1,"mechanism":"subset_selection","size":2},"type":"select_one"},{"choices":[{"label":"R","name":"r"},{"label":"G","name":"g"},{"label":"B","name":"b"},{"label":"W","name":"w"}],"label":"What of colour?","name":"colour","privacy":{"epsilon":1,"mechanism":"symmetric_unary_encoding"},"type":"select_one"},{"choices":[{"label":"V","name":"v"},{"label":"W","name":"w"},{"label":"X","name":"x"},{"label":"Y","name":"y"},{"label":"Z","name":"z"}],"label":"What of tried?","name":"tried","privacy":{"epsilon":2,"mechanism":"sampled_boxes","sample":2},"type":"select_multiple"},{"choices":[{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"F","name":"f"}],"label":"What of pets?","name":"pets","prefer_not_to_say":true,"privacy":{"epsilon":2,"mechanism":"joint_boxes"},"type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"},{"label":"4","name":"4"},{"label":"5","name":"5"}],"label":"What of mood?","name":"mood","privacy":{"epsilon":1,"mechanism":"exponential"},"type":"scale"},{"label":"What of glasses?","max":40,"min":0,"name":"glasses","otherwise":0,"privacy":{"epsilon":1},"relevant":{"smokes":["yes"]},"step":1,"type":"number"},{"label":"What of weight?","max":150,"min":30,"name":"weight","prefer_not_to_say":true,"privacy":{"epsilon":1,"mechanism":"one_bit"},"step":0.5,"type":"number","unit":"kg"},{"label":"Now something else.","name":"welcome","type":"note"},{"label":"What of years?","max":120,"min":0,"name":"years","prefer_not_to_say":true,"privacy":"none","step":1,"type":"number"},{"choices":[{"label":"N","name":"n"},{"label":"E","name":"e"},{"label":"S","name":"s"},{"label":"W","name":"w"}],"label":"What of region?","name":"region","privacy":"none","relevant":{"years":{"min":18}},"type":"select_one"},{"choices":[{"label":"P","name":"p"},{"label":"R","name":"r"},{"label":"T","name":"t"}],"label":"What of news?","name":"news","privacy":"none","type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"}],"label":"What of sleep?","name":"sleep","privacy":"none","type":"scale"},{"label":"What of remarks?","name":"remarks","privacy":"none","type":"text"}],"slug":"every-type","texts_apart":false,"title":"Health"}','{"definition":{"batch":1,"budget":{"per_respondent":{"sample":3}},"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","prefer_not_to_say":true,"privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"E","name":"e"},{"label":"F","name":"f"},{"label":"G","name":"g"},{"label":"H","name":"h"}],"label":"What of party?","name":"party","privacy":{"epsilon":1,"mechanism":"subset_selection","size":2},"type":"select_one"},{"choices":[{"label":"R","name":"r"},{"label":"G","name":"g"},{"label":"B","name":"b"},{"label":"W","name":"w"}],"label":"What of colour?","name":"colour","privacy":{"epsilon":1,"mechanism":"symmetric_unary_encoding"},"type":"select_one"},{"choices":[{"label":"V","name":"v"},{"label":"W","name":"w"},{"label":"X","name":"x"},{"label":"Y","name":"y"},{"label":"Z","name":"z"}],"label":"What of tried?","name":"tried","privacy":{"epsilon":2,"mechanism":"sampled_boxes","sample":2},"type":"select_multiple"},{"choices":[{"label":"C","name":"c"},{"label":"D","name":"d"},{"label":"F","name":"f"}],"label":"What of pets?","name":"pets","prefer_not_to_say":true,"privacy":{"epsilon":2,"mechanism":"joint_boxes"},"type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"},{"label":"4","name":"4"},{"label":"5","name":"5"}],"label":"What of mood?","name":"mood","privacy":{"epsilon":1,"mechanism":"exponential"},"type":"scale"},{"label":"What of glasses?","max":40,"min":0,"name":"glasses","otherwise":0,"privacy":{"epsilon":1},"relevant":{"smokes":["yes"]},"step":1,"type":"number"},{"label":"What of weight?","max":150,"min":30,"name":"weight","prefer_not_to_say":true,"privacy":{"epsilon":1,"mechanism":"one_bit"},"step":0.5,"type":"number","unit":"kg"},{"label":"Now something else.","name":"welcome","type":"note"},{"label":"What of years?","max":120,"min":0,"name":"years","prefer_not_to_say":true,"privacy":"none","step":1,"type":"number"},{"choices":[{"label":"N","name":"n"},{"label":"E","name":"e"},{"label":"S","name":"s"},{"label":"W","name":"w"}],"label":"What of region?","name":"region","privacy":"none","relevant":{"years":{"min":18}},"type":"select_one"},{"choices":[{"label":"P","name":"p"},{"label":"R","name":"r"},{"label":"T","name":"t"}],"label":"What of news?","name":"news","privacy":"none","type":"select_multiple"},{"choices":[{"label":"1","name":"1"},{"label":"2","name":"2"},{"label":"3","name":"3"}],"label":"What of sleep?","name":"sleep","privacy":"none","type":"scale"},{"label":"What of remarks?","name":"remarks","privacy":"none","type":"text"}],"slug":"every-type","texts_apart":false,"title":"Health"},"epsilon":5.09834455495854,"fingerprint":"966afffd0e3d23903c2f5b664c922c4754de711b43e60480a4b943aaed27a06d","limits":{"certainty":99,"epsilon":12},"tables":{"colour":{"answers":["r","g","b","w"],"epsilon":0.999911903058174,"kind":"unary","rows":[[61,37],[37,61]],"sha256":"cb272ea71aa5c2b59f419239ff1ddabb054cff419128b82e852839deba293de8"},"glasses":{"answers":["0","4","8","12","16","20","24","28","32","36","40"],"epsilon":0.9998774479824207,"reports":["-16","-12","-8","-4","0","4","8","12","16","20","24","28","32","36","40","44","48","52","56"],"rows":[[106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39,39,39],[39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39,39],[39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39,39],[39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39,39],[39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39,39],[39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39,39],[39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39,39],[39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39,39],[39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39,39],[39,39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106,39],[39,39,39,39,39,39,39,39,39,39,106,106,106,106,106,106,106,106,106]],"sha256":"50b2408461c6efd32d88debc04a9f08da145e047eff044d0baed4ca581df1c54","width":4},"mood":{"answers":["1","2","3","4","5"],"epsilon":0.9999882908957217,"reports":["1","2","3","4","5"],"rows":[[10873,8469,6595,5136,4000],[7511,9645,7511,5850,4556],[5642,7244,9301,7244,5642],[4556,5850,7511,9645,7511],[4000,5136,6595,8469,10873]],"sha256":"90bc320f5de3b4553fbc893872a2c45cb2ebc5ad6cf76696f16f52d91a31912c"},"party":{"answers":["a","b","c","d","e","f","g","h"],"epsilon":0.9998774479824206,"far":39,"kind":"subset","near":106,"sha256":"74ceb87fba11cdab73f421bb0380fa248dda9bc38d7ded513283039b1c4f1bd3","size":2},"pets":{"answers":["c","d","f","prefer_not_to_say"],"epsilon":1.9999773703255892,"reports":["000","100","010","110","001","101","011","111","prefer_not_to_say"],"rows":[[133,18,18,18,18,18,18,18,18],[18,133,18,18,18,18,18,18,18],[18,18,133,18,18,18,18,18,18],[18,18,18,133,18,18,18,18,18],[18,18,18,18,133,18,18,18,18],[18,18,18,18,18,133,18,18,18],[18,18,18,18,18,18,133,18,18],[18,18,18,18,18,18,18,133,18],[18,18,18,18,18,18,18,18,133]],"sha256":"144c69ac947a43e4925bcc501d75683ef597a19aa89388831da80d397543a561"},"smokes":{"answers":["yes","no","prefer_not_to_say"],"epsilon":1.0986122886681098,"reports":["yes","no","prefer_not_to_say"],"rows":[[3,1,1],[1,3,1],[1,1,3]],"sha256":"ab47b7fc4b8cd13e267344222df2f7e2d3888a409b496cf9db163523c0b9f9ec"},"tried":{"answers":["v","w","x","y","z"],"epsilon":1.9997548959648412,"kind":"boxes","rows":[[106,39],[39,106]],"sample":2,"sha256":"e0f88ef6f26d61a8aef53a2fde1208de2df74469a221da414d2f73c69b5c275f"},"weight":{"answers":["30","36","42","48","54","60","66","72","78","84","90","96","102","108","114","120","126","132","138","144","150","prefer_not_to_say"],"epsilon":0.9998774479824207,"reports":["r1","r2","prefer_not_to_say"],"rows":[[2120,780,780],[2053,847,780],[1986,914,780],[1919,981,780],[1852,1048,780],[1785,1115,780],[1718,1182,780],[1651,1249,780],[1584,1316,780],[1517,1383,780],[1450,1450,780],[1383,1517,780],[1316,1584,780],[1249,1651,780],[1182,1718,780],[1115,1785,780],[1048,1852,780],[981,1919,780],[914,1986,780],[847,2053,780],[780,2120,780],[780,780,2120]],"sha256":"d97ab7c6226f0adb59d2062ef99f5c5b07c7c8c56139be12b69c3ecc8500d898","width":12}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(6,'means','{"introduction":"","language":"en","questions":[{"label":"How many hours?","max":100,"min":0,"name":"hours","privacy":{"epsilon":1,"goal":"mean"},"step":1,"type":"number"},{"label":"How many hours?","max":100,"min":0,"name":"again","privacy":{"epsilon":1.5,"goal":"mean"},"step":1,"type":"number"},{"choices":[{"label":"A","name":"a"},{"label":"B","name":"b"},{"label":"C","name":"c"}],"label":"Which party?","name":"party","privacy":{"epsilon":2},"type":"select_one"}],"slug":"means","title":"Means"}',NULL,'draft','browser',0,0,NULL,NULL,NULL,'{"version":2,"tables":{"8d3718fb0fcdb7773b69c7b36088bc5e0e49daa654bcc4b5351e2905c0ae0e85":{"rows":[[251352,55232,55700,43492,70672,82892,68804,181340,31616,66712,25312,30496,26000,16000,20492,20320,92492],[250122,29048,55700,43492,70672,82892,51197,181340,72359,66712,25312,30496,26000,16000,20492,24616,92474],[213106,37776,48368,43492,70672,82892,57066,181340,85940,66712,42920,30496,26000,16000,20492,23184,92468],[164206,55232,44702,43492,70672,82805,68804,181340,85940,84231,51724,30496,26000,16000,20492,20320,92468],[127324,55232,55700,43492,70672,82544,68804,181340,85940,136788,25312,30496,26000,16000,20492,20320,92468],[101182,55232,55700,43492,70672,82805,68804,181340,85940,162669,25312,30496,26000,16000,20492,20320,92468],[92480,37776,55700,43492,70672,82892,68804,181340,85940,176318,37734,30496,26000,16000,20492,20320,92468],[92492,20320,46898,43492,70672,82892,68804,181340,85940,181340,54818,34636,26000,16000,20492,20320,92468],[92492,20320,20492,43492,70672,82892,68804,181340,85940,181340,68804,47056,26000,16000,20492,20320,92468],[92483,20320,20492,22873,64222,82892,68804,181340,85940,181340,68804,73933,26201,16000,20492,20320,92468],[92480,20320,20492,16000,44170,82892,68804,181340,85940,181340,68804,82892,44170,16000,20492,20320,92468],[92483,20320,20492,16000,26201,73933,68804,181340,85940,181340,68804,82892,64222,22873,20492,20320,92468],[92492,20320,20492,16000,26000,47056,68804,181340,85940,181340,68804,82892,70672,43492,20492,20320,92468],[92492,20320,20492,16000,26000,34636,54818,181340,85940,181340,68804,82892,70672,43492,46898,20320,92468],[92480,20320,20492,16000,26000,30496,37734,176318,85940,181340,68804,82892,70672,43492,55700,37776,92468],[92468,20320,20492,16000,26000,30496,25312,162663,85940,181279,68804,82892,70672,43492,55700,55232,101162],[92468,20320,20492,16000,26000,30496,25312,136764,85940,181096,68804,82892,70672,43492,55700,55232,127244],[92468,20320,20492,16000,26000,30496,25312,112866,85940,181279,58757,82892,70672,43492,55700,55232,161006],[92468,23130,20492,16000,26000,30496,25312,85806,85940,181340,53634,82892,70672,43492,38096,55232,207922],[92474,24535,20492,16000,26000,30496,25312,66712,72359,181340,56096,82892,70672,43492,29294,55232,245526],[92492,20320,20492,16000,26000,30496,25312,66712,31616,181340,68804,82892,70672,43492,55700,55232,251352]],"sha256":"18251b4bed95f3295376f932b3cf757469eb24c78f2c26d7d33e26f947cfc57e"},"b3f65015058e0f21beda412fa089897247378d08d59d38eecb3b9185fe44e1c0":{"rows":[[968394,152018,35852,187870,294282,82184,132076,18338,65664,41920,8000,33920,216078],[851766,152018,35852,187870,294282,82184,244811,18338,69557,41920,8000,33920,216078],[735138,152018,35852,187870,294282,82184,357546,18338,73450,41920,8000,33920,216078],[691119,152018,21926,115990,294282,82184,474734,18338,86087,41920,8000,33920,216078],[647100,152018,8000,44110,294282,82184,591922,18338,98724,41920,8000,33920,216078],[511930,152018,10371,115990,294282,82184,591922,50261,127720,41920,8000,33920,216078],[376760,152018,12742,187870,294282,82184,591922,82184,156716,41920,8000,33920,216078],[296419,152018,24297,187870,294283,82184,591922,82184,225500,41920,8000,33920,216079],[216078,152018,35852,187870,294284,82184,591922,82184,294284,41920,8000,33920,216080],[216078,92969,21926,187870,294284,82184,591922,82184,294284,114895,8000,33920,216080],[216078,33920,8000,187870,294284,82184,591922,82184,294284,187870,8000,33920,216080],[216078,33920,8000,114895,294284,82184,591922,82184,294284,187870,21926,92969,216080],[216078,33920,8000,41920,294284,82184,591922,82184,294284,187870,35852,152018,216080],[216078,33920,8000,41920,225548,82184,591922,82184,294283,178857,35852,152018,293830],[216078,33920,8000,41920,156812,82184,591922,82184,294282,169844,35852,152018,371580],[216078,33920,8000,41920,111238,67805,591922,82184,294282,123088,35852,92969,537338],[216078,33920,8000,41920,65664,53426,591922,82184,294282,76332,35852,33920,703096],[216078,33920,8000,41920,65664,35882,487316,82184,294282,117296,21926,92969,739159],[216078,33920,8000,41920,65664,18338,382710,82184,294282,158260,8000,152018,775222],[216078,33920,8000,41920,65664,18338,257393,82184,294282,173065,21926,152018,871808],[216078,33920,8000,41920,65664,18338,132076,82184,294282,187870,35852,152018,968394]],"sha256":"38ddf2518ca26e7a0bb60a06e4fdc293a09e5fc531051c55a85f523a441d821c"},"4c2c47c6f0202ce10bd3706696f084c3c2359d4abf802be6f5204b21b83e4236":{"rows":[[133,18,18],[18,133,18],[18,18,133]],"sha256":"94dea0c84000c662523f15064eb78db055a31bf763a2e1d600ef30576e639c88"}}}','4.49996865439271',NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(7,'open-means','{"introduction":"","language":"en","questions":[{"label":"How many hours?","max":100,"min":0,"name":"hours","privacy":{"epsilon":1,"goal":"mean"},"step":1,"type":"number"}],"slug":"open-means","title":"Open-Means"}','{"definition":{"introduction":"","language":"en","questions":[{"label":"How many hours?","max":100,"min":0,"name":"hours","privacy":{"epsilon":1,"goal":"mean"},"step":1,"type":"number"}],"slug":"open-means","title":"Open-Means"},"epsilon":0.999991708419623,"fingerprint":"eb83c57426729d6e6316c86aa968850278564aa212994dc57bcf4526aa75c299","limits":{"certainty":99,"epsilon":12},"tables":{"hours":{"answers":["0","5","10","15","20","25","30","35","40","45","50","55","60","65","70","75","80","85","90","95","100"],"epsilon":0.9999917084196238,"reports":["r1","r2","r3","r4","r5","r6","r7","r8","r9","r10","r11","r12","r13","r14","r15","r16","r17"],"rows":[[251352,55232,55700,43492,70672,82892,68804,181340,31616,66712,25312,30496,26000,16000,20492,20320,92492],[250122,29048,55700,43492,70672,82892,51197,181340,72359,66712,25312,30496,26000,16000,20492,24616,92474],[213106,37776,48368,43492,70672,82892,57066,181340,85940,66712,42920,30496,26000,16000,20492,23184,92468],[164206,55232,44702,43492,70672,82805,68804,181340,85940,84231,51724,30496,26000,16000,20492,20320,92468],[127324,55232,55700,43492,70672,82544,68804,181340,85940,136788,25312,30496,26000,16000,20492,20320,92468],[101182,55232,55700,43492,70672,82805,68804,181340,85940,162669,25312,30496,26000,16000,20492,20320,92468],[92480,37776,55700,43492,70672,82892,68804,181340,85940,176318,37734,30496,26000,16000,20492,20320,92468],[92492,20320,46898,43492,70672,82892,68804,181340,85940,181340,54818,34636,26000,16000,20492,20320,92468],[92492,20320,20492,43492,70672,82892,68804,181340,85940,181340,68804,47056,26000,16000,20492,20320,92468],[92483,20320,20492,22873,64222,82892,68804,181340,85940,181340,68804,73933,26201,16000,20492,20320,92468],[92480,20320,20492,16000,44170,82892,68804,181340,85940,181340,68804,82892,44170,16000,20492,20320,92468],[92483,20320,20492,16000,26201,73933,68804,181340,85940,181340,68804,82892,64222,22873,20492,20320,92468],[92492,20320,20492,16000,26000,47056,68804,181340,85940,181340,68804,82892,70672,43492,20492,20320,92468],[92492,20320,20492,16000,26000,34636,54818,181340,85940,181340,68804,82892,70672,43492,46898,20320,92468],[92480,20320,20492,16000,26000,30496,37734,176318,85940,181340,68804,82892,70672,43492,55700,37776,92468],[92468,20320,20492,16000,26000,30496,25312,162663,85940,181279,68804,82892,70672,43492,55700,55232,101162],[92468,20320,20492,16000,26000,30496,25312,136764,85940,181096,68804,82892,70672,43492,55700,55232,127244],[92468,20320,20492,16000,26000,30496,25312,112866,85940,181279,58757,82892,70672,43492,55700,55232,161006],[92468,23130,20492,16000,26000,30496,25312,85806,85940,181340,53634,82892,70672,43492,38096,55232,207922],[92474,24535,20492,16000,26000,30496,25312,66712,72359,181340,56096,82892,70672,43492,29294,55232,245526],[92492,20320,20492,16000,26000,30496,25312,66712,31616,181340,68804,82892,70672,43492,55700,55232,251352]],"sha256":"64f8e1f801b55c23f26b38f3e9a2fb844c49398dcc253fe9f994dab710fedb13","width":5}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(8,'receipts','{"batch":10,"introduction":"","invitations":true,"language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"receipts":true,"slug":"receipts","title":"Receipts"}','{"definition":{"batch":10,"introduction":"","invitations":true,"language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"receipts":true,"slug":"receipts","title":"Receipts"},"epsilon":1.0986122886681098,"fingerprint":"4519f792d95cd23730ce9653209473ea0b053f40721ae3d2646e329ec273081f","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(9,'remarks','{"batch":10,"by_hand":true,"comprehension":true,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"receipts":true,"slug":"remarks","texts_apart":true,"title":"Remarks"}','{"definition":{"batch":10,"by_hand":true,"comprehension":true,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"receipts":true,"slug":"remarks","texts_apart":true,"title":"Remarks"},"epsilon":1.0986122886681098,"fingerprint":"c8c0ec63d6e56a33d026c6408cbf5907b067b310a8f8ea3700ce8db1b563b33e","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(10,'remarks.by-hand','{"batch":10,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.by-hand","texts_apart":true,"title":"Remarks"}','{"definition":{"batch":10,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.by-hand","texts_apart":true,"title":"Remarks"},"epsilon":1.0986122886681098,"fingerprint":"6df6298dd4d11affa490456fa1b7e2213defdeff28497a236590a3ebbdd71886","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(11,'remarks.comprehension','{"batch":10,"introduction":"Three quick questions about how this survey protected your answers. What you choose shows the people running the survey whether they explained the protection well. It is stored as you give it, apart from your other answers, and nothing connects the two.","language":"en","questions":[{"choices":[{"label":"What I really answered, but not my name","name":"real"},{"label":"A mixed-up answer, from which they can only guess what I really answered","name":"guess"},{"label":"A mixed-up answer, from which they can be almost sure of what I really answered","name":"sure"},{"label":"What I really answered, after they undo the mixing","name":"undone"},{"label":"Nothing at all, not even about everybody together","name":"nothing"},{"label":"I don''t know","name":"unsure"}],"label":"Think of an answer of yours that was mixed up. What can the people running the survey learn from what they received?","name":"learnt","privacy":"none","type":"select_one"},{"choices":[{"label":"I really answered “Yes”","name":"yes"},{"label":"I really answered “No”: answers are reversed","name":"no"},{"label":"I made a mistake, or did not tell the truth","name":"wrong"},{"label":"Perhaps I answered “Yes”, perhaps I answered “No” and chance made it a “Yes”","name":"either"},{"label":"I don''t know","name":"unsure"}],"label":"Suppose the data of the people running the survey contain a “Yes” from you. Your answer to that question was mixed up. What does this “Yes” mean?","name":"meaning","privacy":"none","type":"select_one"},{"choices":[{"label":"Someone who saw my screen while I answered","name":"screen"},{"label":"The people running the survey, if they try hard enough","name":"team"},{"label":"Someone who steals what was sent","name":"thief"},{"label":"A court that demands the stored data","name":"court"},{"label":"I don''t know","name":"unsure"}],"label":"Who could have known your real answers to the mixed-up questions for certain?","name":"who","privacy":"none","type":"select_one"}],"slug":"remarks.comprehension","title":"What did you understand?"}','{"definition":{"batch":10,"introduction":"Three quick questions about how this survey protected your answers. What you choose shows the people running the survey whether they explained the protection well. It is stored as you give it, apart from your other answers, and nothing connects the two.","language":"en","questions":[{"choices":[{"label":"What I really answered, but not my name","name":"real"},{"label":"A mixed-up answer, from which they can only guess what I really answered","name":"guess"},{"label":"A mixed-up answer, from which they can be almost sure of what I really answered","name":"sure"},{"label":"What I really answered, after they undo the mixing","name":"undone"},{"label":"Nothing at all, not even about everybody together","name":"nothing"},{"label":"I don''t know","name":"unsure"}],"label":"Think of an answer of yours that was mixed up. What can the people running the survey learn from what they received?","name":"learnt","privacy":"none","type":"select_one"},{"choices":[{"label":"I really answered “Yes”","name":"yes"},{"label":"I really answered “No”: answers are reversed","name":"no"},{"label":"I made a mistake, or did not tell the truth","name":"wrong"},{"label":"Perhaps I answered “Yes”, perhaps I answered “No” and chance made it a “Yes”","name":"either"},{"label":"I don''t know","name":"unsure"}],"label":"Suppose the data of the people running the survey contain a “Yes” from you. Your answer to that question was mixed up. What does this “Yes” mean?","name":"meaning","privacy":"none","type":"select_one"},{"choices":[{"label":"Someone who saw my screen while I answered","name":"screen"},{"label":"The people running the survey, if they try hard enough","name":"team"},{"label":"Someone who steals what was sent","name":"thief"},{"label":"A court that demands the stored data","name":"court"},{"label":"I don''t know","name":"unsure"}],"label":"Who could have known your real answers to the mixed-up questions for certain?","name":"who","privacy":"none","type":"select_one"}],"slug":"remarks.comprehension","title":"What did you understand?"},"epsilon":0.0,"fingerprint":"3a52d81b41ce5e14e697a9e72f30eb10efbea6eed47fc51ebf1fe73f62dc53d7","limits":{"certainty":99,"epsilon":12},"tables":{}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(12,'remarks.texts','{"introduction":"","language":"en","questions":[{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.texts","title":"Remarks"}','{"definition":{"introduction":"","language":"en","questions":[{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.texts","title":"Remarks"},"epsilon":0.0,"fingerprint":"5c584002cd7e4b4964a901d2591a66c1f090e479718b760e3fbad5fd96fb28ad","limits":{"certainty":99,"epsilon":12},"tables":{}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(13,'remarks.practice','{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"receipts":true,"slug":"remarks.practice","texts_apart":true,"title":"Remarks"}','{"definition":{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"receipts":true,"slug":"remarks.practice","texts_apart":true,"title":"Remarks"},"epsilon":1.0986122886681098,"fingerprint":"293236f7620815024270e36a4dedee2117610c255bbc1818517eaa00f61753b4","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(14,'remarks.practice-texts','{"introduction":"","language":"en","questions":[{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.practice-texts","title":"Remarks"}','{"definition":{"introduction":"","language":"en","questions":[{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks.practice-texts","title":"Remarks"},"epsilon":0.0,"fingerprint":"d152cbdccd728a6950a52f8da0a4a09216b5aef845663a62be0eb18861f02d4c","limits":{"certainty":99,"epsilon":12},"tables":{}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(15,'remarks-alone','{"batch":10,"introduction":"","language":"en","questions":[{"choices":[{"label":"N","name":"n"},{"label":"S","name":"s"}],"label":"Which region?","name":"region","privacy":"none","type":"select_one"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks-alone","title":"Remarks-Alone"}','{"definition":{"batch":10,"introduction":"","language":"en","questions":[{"choices":[{"label":"N","name":"n"},{"label":"S","name":"s"}],"label":"Which region?","name":"region","privacy":"none","type":"select_one"},{"label":"Anything else?","name":"remarks","privacy":"none","type":"text"}],"slug":"remarks-alone","title":"Remarks-Alone"},"epsilon":0.0,"fingerprint":"e2f69dc6a7dec9a484bec2a9a4c5851f14a39c6b1973a59cb408cab3ec1593fd","limits":{"certainty":99,"epsilon":12},"tables":{}}','open','browser',0,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
INSERT INTO "surveys" VALUES(16,'later.pilot','{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"later.pilot","title":"Later"}','{"definition":{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"}],"slug":"later.pilot","title":"Later"},"epsilon":1.0986122886681098,"fingerprint":"d451cced03b21d27bc9ab5a388102b0def320e7abecaebe13e70e7190623ebfd","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','simulated',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(17,'later.pilot-answers','{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":"none","type":"yes_no"}],"slug":"later.pilot-answers","title":"Later"}','{"definition":{"batch":1,"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":"none","type":"yes_no"}],"slug":"later.pilot-answers","title":"Later"},"epsilon":0.0,"fingerprint":"5684fbc5bf45f134deb2c6f7653b3a2dc88b99e3ece18a8d97c66e5370d9fad7","tables":{}}','closed','simulated',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "surveys" VALUES(18,'told','{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Age?","max":99,"min":0,"name":"age","privacy":"none","step":1,"type":"number"}],"slug":"told","title":"Told"}','{"definition":{"introduction":"","language":"en","questions":[{"choices":[{"label":"Yes","name":"yes"},{"label":"No","name":"no"}],"label":"Do you smoke?","name":"smokes","privacy":{"mechanism":"coin_flip"},"type":"yes_no"},{"label":"Age?","max":99,"min":0,"name":"age","privacy":"none","step":1,"type":"number"}],"slug":"told","title":"Told"},"epsilon":1.0986122886681098,"fingerprint":"c089c5498e0c6192852d82f49173ac325443491a28186e9f12532938758bb60b","limits":{"certainty":99,"epsilon":12},"tables":{"smokes":{"answers":["yes","no"],"epsilon":1.0986122886681098,"reports":["yes","no"],"rows":[[3,1],[1,3]],"sha256":"fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"}}}','closed','browser',1,0,NULL,NULL,NULL,NULL,NULL,'ada','2026-11-20','2026-11-20',0);
CREATE TABLE thresholds (
        webhook BLOB NOT NULL,
        survey TEXT NOT NULL,
        responses INTEGER NOT NULL CHECK (responses > 0),
        state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given up')),
        waited INTEGER NOT NULL CHECK (waited >= 0),
        outcome TEXT NOT NULL,
        PRIMARY KEY (webhook, responses)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "thresholds" VALUES(X'00000000000000000000000000000000','coins',99,'waiting',0,'');
CREATE TABLE waiting (
        survey TEXT NOT NULL,
        id BLOB NOT NULL CHECK (length(id) = 16),
        PRIMARY KEY (survey, id)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "waiting" VALUES('coins',X'4A1B89FC406DD85B24F0C6AE05765AE2');
INSERT INTO "waiting" VALUES('coins',X'9E9016037F84267C2E8CC2D45FCCD096');
INSERT INTO "waiting" VALUES('coins',X'BDC0A2262A7C3E15F09A1C2DBD7DBB26');
INSERT INTO "waiting" VALUES('open-means',X'196609E3C16FD81C6DE50DB4D1FE7C5D');
INSERT INTO "waiting" VALUES('receipts',X'3679AD6F6F78CE827A40CB5071F29930');
INSERT INTO "waiting" VALUES('receipts',X'381CFFC82B3FC7F47CDE806D1C4B5FE2');
INSERT INTO "waiting" VALUES('receipts',X'79DFD74740A8091A2CCE360D6053ADD5');
INSERT INTO "waiting" VALUES('receipts',X'B1F78CA2A3D182EFDF401F2698BED33F');
INSERT INTO "waiting" VALUES('remarks',X'012AB912E2B93A64431C24EE4E8D44ED');
INSERT INTO "waiting" VALUES('remarks',X'1AC8C215E7292F8D3A67E0C63BB41F0A');
INSERT INTO "waiting" VALUES('remarks',X'B26B9B3F63B679C85E70EA1BE9FB4A39');
INSERT INTO "waiting" VALUES('remarks',X'CA429320071C41082AE6D96C6190A2B5');
CREATE TABLE webhooks (
        id BLOB PRIMARY KEY CHECK (length(id) = 16),
        survey TEXT NOT NULL,
        url TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "webhooks" VALUES(X'00000000000000000000000000000000','coins','https://example.org/');
CREATE TABLE wrapped_key (
        number INTEGER PRIMARY KEY CHECK (number = 1),
        content BLOB NOT NULL
    ) STRICT
    ;
INSERT INTO "wrapped_key" VALUES(1,X'1BBD0F7572D99095051542157FAB8F186741414141414272446F7A38785A664D4B3642565F592D42323574734A335F6B77786C37317677576B5452714E4A79456B464B4955346A6E724C6A4A4F715657756C5A7A395F774451784872734846366B6A4C73645A3155485F6E527A6F784A4C5530522D467438777A5665453242526E69704D464945545030784D3877434A45305558346B57376841496A3954734E5870396C6D46344D583361377272635041416B744E7630514A4B7531566378463863686A5446513D');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX closing ON surveys (closes) WHERE closes IS NOT NULL;
CREATE INDEX undelivered ON thresholds (survey) WHERE state = 'waiting';
CREATE TRIGGER acts_no_update BEFORE UPDATE ON acts BEGIN SELECT raise(ABORT, 'acts are only ever added'); END;
CREATE TRIGGER acts_no_delete BEFORE DELETE ON acts BEGIN SELECT raise(ABORT, 'acts are only ever added'); END;
CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases BEGIN SELECT raise(ABORT, 'releases are only ever added'); END;
CREATE TRIGGER tokens_end_with_the_account AFTER DELETE ON accounts BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END;
CREATE TRIGGER tokens_end_with_the_password AFTER UPDATE OF password_hash ON accounts BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END;
CREATE TRIGGER survey_roles_end_with_the_account AFTER DELETE ON accounts BEGIN DELETE FROM survey_roles WHERE account = OLD.name; UPDATE deleted_drafts SET roles = json_remove(roles, '$."' || OLD.name || '"'); END;
COMMIT;

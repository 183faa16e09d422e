/* Folders of pictures and files of captions in every format. */
#include "pictures/pictures.h"

#include <sys/stat.h>

#include "base/cancel.h"
#include "scratch.h"
#include "status.h"

static void write_text(scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

static void write_pictures(scratch *s, const char *const *names)
{
    for (; *names; names++)
        scratch_write(s, *names, "\xff\xd8\xff\xe0 a jpeg", 11);
}

/* "a.jpg/train: first caption| second caption|" for each picture. */
static void write_all(const sac_pictures *p, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < p->count; i++) {
        const sac_captioned_picture *item = &p->items[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s/%s:", i ? " " : "", item->name,
                                 sac_pictures_split_name(item->split));
        for (int k = 0; k < item->caption_count; k++)
            used += (size_t)snprintf(text + used, size - used, "%s|", item->captions[k].text);
    }
}

static void write_report(const sac_pictures *p, char *text, size_t size)
{
    char line[400];
    size_t used = 0;
    for (int i = 1; sac_pictures_report_line(p, i, line, sizeof line); i++)
        used += (size_t)snprintf(text + used, size - used, "%s\n", line);
}

/* Opens the scratch folder with `captions` (NULL: none) as its captions, `val` as its val split. */
static sac_status open_texts(scratch *s, const char *captions, const char *val, sac_pictures *p,
                             sac_error *error)
{
    char at[160], val_at[160];
    if (captions)
        write_text(s, "captions", captions);
    strcpy(at, scratch_path(s, "captions"));
    if (val)
        write_text(s, "held", val);
    strcpy(val_at, scratch_path(s, "held"));
    const sac_pictures_options options = {
        .sets = {{s->folder, .captions = captions ? at : NULL, .val = val ? val_at : NULL}},
        .least = 1};
    return sac_pictures_open(&options, p, error);
}

static void assert_read(scratch *s, const char *captions, const char *val, const char *all,
                        const char *report)
{
    sac_pictures p;
    char text[2000] = "", line[600];
    sac_status status = open_texts(s, captions, val, &p, &failure);
    sac_error_line(&failure, line, sizeof line);
    if (status != SAC_OK)
        fail_msg("%s\n%s", captions, line);
    write_all(&p, text, sizeof text);
    if (strcmp(text, all) != 0)
        fail_msg("%s\ngave     %s\nand not  %s", captions, text, all);
    text[0] = '\0';
    write_report(&p, text, sizeof text);
    const char *folder = strstr(text, s->folder); /* the note's place */
    if (folder)
        memmove((char *)folder, folder + strlen(s->folder) + 1,
                strlen(folder + strlen(s->folder) + 1) + 1);
    assert_string_equal(text, report);
    sac_pictures_free(&p);
}

static const char *const two[] = {"a.jpg", "b b.jpg", NULL};
#define TWO "a.jpg/train:A dog.|Two, dogs| b b.jpg/val:A \"cat\"|"

IN_SCRATCH(captions_are_read_in_every_format)
{
    static const char *const formats[] = {
        /* Flickr8k's captions.txt; its bytes may begin with a mark, lines end as Windows' do */
        "image,caption\na.jpg,A dog.\nb b.jpg,\"A \"\"cat\"\"\"\na.jpg,\"Two, dogs\"\n",
        "\xef\xbb\xbf\r\nimage,caption\r\na.jpg,A dog.\r\n\r\nb b.jpg,\"A \"\"cat\"\"\"\r\na.jpg,"
        "\"Two,\r\n dogs\"",
        "image,caption\ra.jpg,A dog.\rb b.jpg,A \"cat\"\ra.jpg,Two, dogs", /* not quoted */
        /* other tables */
        "No;Text;File Name ;split\n1;A dog.;a.jpg;train\n2;\"A \"\"cat\"\"\";b b.jpg;val\n3;Two, "
        "dogs;a.jpg;train\n",
        "image_name| comment_number| comment\na.jpg| 0| A dog.\nb b.jpg| 0| A \"cat\"\na.jpg| 1| "
        "Two, dogs\n",
        "caption_1,caption_2,image\nA dog.,\"Two, dogs\",a.jpg\nA \"cat\",,b b.jpg\n",
        "raw,filename\n\"[\"\"A dog.\"\", \"\"Two, dogs\"\"]\",a.jpg\n\"[\"\"A "
        "\\\"\"cat\\\"\"\"\"]\",b b.jpg\n",
        /* lists of Python, of NumPy over several lines, and tuples */
        "caption,image\n\"['A dog.', 'Two, dogs']\",a.jpg\n\"['A \"\"cat\"\"']\",b b.jpg\n",
        "image\tcaption\na.jpg\t['A dog.' \\n 'Two, dogs']\nb b.jpg\t('A \"cat\"',)\n",
        "image,caption\na.jpg,\"['A dog.'\n \"\"Two, dogs\"\"]\"\nb b.jpg,\"[u'A "
        "\\x22c\\u0061t\"\"', "
        "None]\"\n",
        "image;caption\na.jpg;(\"A dog.\", 'Two, dogs', nan)\nb b.jpg;array(['A \"cat\"'], "
        "dtype=object)\n",
        /* sets, arrays of PostgreSQL; Excel's own line before its table */
        "sep=;\r\nimage;caption\r\na.jpg;{'A dog.', 'Two, dogs'}\r\n"
        "b b.jpg;\"{\"\"A \\\"\"cat\\\"\"\"\"}\"\r\n",
        /* Flickr8k.token.txt, and without numbers and header */
        "a.jpg#0\tA dog.\nb b.jpg#0\tA \"cat\"\na.jpg#1\tTwo, dogs\n",
        "\"a.jpg\",\"A dog.\"\n\"b b.jpg\",\"A \"\"cat\"\"\"\na.jpg,Two, dogs",
        "a.jpg A dog.\na.jpg Two, dogs\nb\n",
        /* COCO's captions */
        "{\"info\": {\"year\": 2017}, \"licenses\": [{\"id\": 7, \"name\": \"CC\"}], "
        "\"images\": [{\"id\": 7, \"file_name\": \"a.jpg\", \"license\": 1}, {\"id\": 8, "
        "\"file_name\": \"b b.jpg\"}],\n\"annotations\": [{\"image_id\": 7, \"id\": 1, "
        "\"caption\": \"A dog.\"}, {\"image_id\": 8, \"id\": 2, \"caption\": \"A \\\"cat\\\"\"}, "
        "{\"image_id\": 7, \"id\": 3, \"caption\": \"Two,\\n dogs\"}]}",
        "{\"annotations\": [{\"image_id\": \"7\", \"caption\": \"A dog.\"}, {\"image_id\": \"8\", "
        "\"caption\": \"A \\\"cat\\\"\"}, {\"image_id\": \"7\", \"caption\": \"Two, dogs\"}], "
        "\"images\": [{\"id\": 7, \"file_name\": \"a.jpg\"}, {\"id\": 8, \"file_name\": "
        "\"b b.jpg\"}]}",
        /* Karpathy's */
        "{\"images\": [{\"sentids\": [0, 1], \"imgid\": 0, \"sentences\": [{\"tokens\": [\"a\", "
        "\"dog\"], \"raw\": \"A dog.\"}, {\"raw\": \"Two, dogs\"}], \"split\": \"restval\", "
        "\"filename\": \"a.jpg\"}, {\"filename\": \"b b.jpg\", \"filepath\": \"val2014\", "
        "\"sentences\": [{\"tokens\": [\"A\", \"\\\"cat\\\"\"]}], \"split\": \"val\"}], "
        "\"dataset\": \"flickr8k\"}",
        /* lists, JSON Lines, a dictionary */
        "[{\"image\": \"a.jpg\", \"caption\": [\"A dog.\", \"Two, dogs\"]}, {\"image\": \"b "
        "b.jpg\", \"caption\": \"A \\\"cat\\\"\", \"image_id\": 9}]",
        "{\"file_name\": \"a.jpg\", \"text\": \"A dog.\"}\n{\"file_name\": \"b b.jpg\", \"text\": "
        "\"A \\\"cat\\\"\"}\n{\"file_name\": \"a.jpg\", \"text\": \"Two, dogs\"}\n",
        "id,name,file,caption\n1,no,a.jpg,A dog.\n2,b,b b.jpg,A \"cat\"\n3,no,a.jpg,\"Two, "
        "dogs\"\n",
        "image_id,caption\na,A dog.\nb b,A \"cat\"\na,\"Two, dogs\"\n",
        "{\"annotations\": [{\"image_id\": \"a\", \"caption\": \"A dog.\"}, {\"image_id\": \"b "
        "b\", "
        "\"caption\": \"A \\\"cat\\\"\"}, {\"image_id\": \"a\", \"caption\": \"Two, dogs\"}]}",
        "{\"a.jpg\": [\"A dog.\", \"Two, dogs\"], \"b b.jpg\": \"A \\\"cat\\\"\"}",
        "{\"version\": 1, \"a.jpg\": [{\"caption\": \"A dog.\"}, {\"caption\": \"Two, dogs\"}], "
        "\"b b.jpg\": {\"caption\": \"A \\\"cat\\\"\"}}",
        "{\"a\": [{\"caption\": \"A dog.\"}, {\"caption\": \"Two, dogs\"}], \"b b\": [\"A "
        "\\\"cat\\\"\"]}",
        /* pandas' to_json by columns (its default), split, index, table and values, and to_dict("list") */
        "{\"image\":{\"0\":\"a.jpg\",\"1\":\"b "
        "b.jpg\",\"2\":\"a.jpg\"},\"score\":{\"0\":0.5,\"1\":1,"
        "\"2\":null},\"caption\":{\"0\":\"A dog.\",\"1\":\"A \\\"cat\\\"\",\"2\":\"Two, dogs\"}}",
        "{\"columns\":[\"score\",\"image\",\"caption\"],\"index\":[0,1],\"data\":[[0.5,\"a.jpg\",["
        "\"A "
        "dog.\",\"Two, dogs\"]],[null,\"b b.jpg\",\"A \\\"cat\\\"\"]]}",
        "{\"0\":{\"image\":\"a.jpg\",\"caption\":[\"A dog.\",\"Two, dogs\"]},\"1\":{\"image\":\"b "
        "b.jpg\",\"caption\":\"A \\\"cat\\\"\"}}",
        "{\"schema\":{\"fields\":[{\"name\":\"index\",\"type\":\"integer\"},{\"name\":\"image\","
        "\"type\":"
        "\"string\"},{\"name\":\"caption\",\"type\":\"string\"}],\"primaryKey\":[\"index\"],"
        "\"pandas_"
        "version\":\"1.4.0\"},\"data\":[{\"index\":0,\"image\":\"a.jpg\",\"caption\":[\"A "
        "dog.\",\"Two, "
        "dogs\"]},{\"index\":1,\"image\":\"b b.jpg\",\"caption\":\"A \\\"cat\\\"\"}]}",
        "[[\"a.jpg\",\"A dog.\"],[\"b b.jpg\",\"A \\\"cat\\\"\"],[\"a.jpg\",\"Two, dogs\"]]",
        "{\"label\": [\"x\", \"y\", \"z\"], \"image\": [\"a.jpg\", \"b b.jpg\", \"a.jpg\"], "
        "\"caption\": "
        "[\"A dog.\", \"A \\\"cat\\\"\", \"Two, dogs\"]}",
        /* the same by the names of pictures in the index */
        "{\"caption\":{\"a.jpg\":[\"A dog.\",\"Two, dogs\"],\"b b.jpg\":\"A \\\"cat\\\"\"}}",
        "{\"columns\":[\"caption\"],\"index\":[\"a.jpg\",\"b b.jpg\"],\"data\":[[\"['A dog.', "
        "'Two, "
        "dogs']\"],[\"A \\\"cat\\\"\"]],\"index_names\":[null],\"column_names\":[null]}",
        "{\"schema\":{\"fields\":[],\"primaryKey\":[\"index\"]},\"data\":[{\"index\":\"a.jpg\","
        "\"caption\":"
        "[\"A dog.\",\"Two, dogs\"]},{\"index\":\"b b.jpg\",\"caption\":\"A \\\"cat\\\"\"}]}",
        /* NaN, where Python had no caption; a conversation */
        "[{\"image\": \"a.jpg\", \"caption\": [\"A dog.\", \"Two, dogs\"], \"score\": NaN}, "
        "{\"image\": "
        "\"b b.jpg\", \"caption\": \"A \\\"cat\\\"\", \"range\": [-Infinity, Infinity]}]",
        "[{\"id\": 3, \"image\": \"a.jpg\", \"conversations\": [{\"from\": \"human\", \"value\": "
        "\"<image>\"}, {\"from\": \"gpt\", \"value\": \"A dog.\"}, {\"from\": \"gpt\", \"value\": "
        "\"Two, "
        "dogs\"}]}, {\"image\": \"b b.jpg\", \"messages\": [{\"role\": \"assistant\", \"content\": "
        "\"A "
        "\\\"cat\\\"\"}]}]",
    };
    write_pictures(s, two);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strncmp(formats[i], "a.jpg A", 7) == 0) /* names between blanks have none in them */
            assert_read(s, formats[i], NULL, "a.jpg/train:A dog.|Two, dogs|",
                        "left out: 1 pictures without a caption: b b.jpg\n"
                        "left out: 1 rows without a picture or a caption: line 3\n");
        else
            assert_read(s, formats[i], strstr(formats[i], "split") ? NULL : "b b.jpg", TWO, "");
    }
}

static int checks;

static bool stop_late(void)
{
    return ++checks > 12; /* behind those of the folder and of the table's 20,000 rows */
}

IN_SCRATCH(captions_of_pictures_that_are_not_there_heed_a_request_to_stop)
{
    enum { ROWS = 20000, ROW = 20 };
    sac_pictures p;
    char *table = malloc(16 + ROWS * ROW), *to = table;
    assert_non_null(table);
    to += sprintf(to, "image,caption\n");
    for (int i = 0; i < ROWS; i++)
        to += sprintf(to, "n%05d.jpg,a dog\n", i);
    write_pictures(s, (const char *const[]){"a.jpg", NULL});
    checks = 0;
    sac_cancel_when(stop_late);
    REFUSES(SAC_E_CANCELLED, "captions: stopped on request",
            open_texts(s, table, NULL, &p, &failure));
    sac_cancel_when(NULL);
    free(table);
}

IN_SCRATCH(captions_stand_beside_pictures)
{
    static const char *const names[] = {"a.jpg", "b b.jpg", "c.jpg", "d.JPG", NULL};
    write_pictures(s, names);
    write_text(s, "a.txt", "\n A dog.\r\nTwo, dogs");
    write_text(s, "b b.txt", "A \"cat\"\n");
    write_text(s, "d.txt", "");
    assert_read(s, NULL, "{\"images\": [{\"filename\": \"b b.jpg\"}]}", TWO,
                "left out: 2 pictures without a caption: c.jpg, d.JPG\n"
                "left out: 1 rows without a picture or a caption: d.txt\n");
}

IN_SCRATCH(captions_of_the_folder_itself_are_found)
{
    write_pictures(s, two);
    write_text(s, "a.txt", "Beside it");
    assert_null(sac_captions_find(s->folder));
    write_text(s, "captions.csv", "image,caption\na.jpg,A dog\nb b.jpg,A cat\n");
    char *found = sac_captions_find(s->folder);
    assert_string_equal(found, scratch_path(s, "captions.csv"));
    free(found);
    assert_read(s, NULL, "b b.jpg\n", "a.jpg/train:A dog| b b.jpg/val:A cat|", "");
}

IN_SCRATCH(what_is_left_out_is_counted_and_named)
{
    static const char *const names[] = {"a.jpg", "b.jpg", "c.jpg", "d.jpg", NULL};
    write_pictures(s, names);
    write_text(s, "b.jpg", "no picture");
    assert_read(s,
                "image,caption\na.jpg,A dog\nx.jpg,one\nx.jpg,two\nb.jpg,one\nb.jpg,two\na.jpg, . "
                "\na.jpg\n,caption\nc.jpg,\"caf\xe9 \x93right\x94\"\ny,1\nz,2\nw,3\n",
                "c.jpg\n9.jpg\n",
                "a.jpg/train:A dog| c.jpg/val:caf\xc3\xa9 \xe2\x80\x9cright\xe2\x80\x9d|",
                "left out: 4 pictures that captions name and the folder does not have: x.jpg, y, "
                "z, …\n"
                "left out: 1 pictures without a caption: d.jpg\n"
                "left out: 1 files that cannot be read as pictures: b.jpg\n"
                "left out: 1 captions without a word, of: a.jpg\n"
                "left out: 2 rows without a picture or a caption: line 8, line 9\n"
                "left out: 1 names of held-out pictures without captions: 9.jpg\n"
                "captions: line 10 is not UTF-8: the file is read as Windows-1252 (Latin-1)\n");
    assert_read(s,
                "{\"images\": [{\"id\": 1, \"file_name\": \"a.jpg\"}], \"annotations\": "
                "[{\"image_id\": 1, \"caption\": \"A dog\"}, {\"image_id\": 2, \"caption\": "
                "\"A cat\"}]}",
                NULL, "a.jpg/train:A dog|",
                "left out: 1 pictures that captions name and the folder does not have: 2\n"
                "left out: 3 pictures without a caption: b.jpg, c.jpg, d.jpg\n");
}

IN_SCRATCH(files_that_are_no_captions_are_refused)
{
    static const struct {
        const char *captions, *val, *line;
    } rows[] = {
        {"{\"images\": [", NULL, "captions: line 1 is not valid JSON; check it with a JSON tool"},
        {"[{\"image\": \"a.jpg\",\n\"caption\": \"caf\xe9\"}]", NULL,
         "captions: line 2 is not UTF-8, after \"caf\" (byte 35 of the file); save it as UTF-8"},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a.jpg\"}], \"annotations\": [{\"image_id\": "
         "1, "
         "\"bbox\": [1, 2, 3, 4]}]}",
         NULL, "captions: names pictures and has no captions; give the file that has the captions"},
        {"{\"image\": [\"a.jpg\"], \"label\": [\"dog\"]}", NULL,
         "captions: has columns, but none of captions: image; name the columns image and caption"},
        {"{\"columns\":[\"what\",\"caption\"],\"index\":[0],\"data\":[[\"a.jpg\",\"A dog\"]]}",
         NULL,
         "captions: has columns, but none of pictures: what, caption; name the columns image and "
         "caption"},
        {"[[\"a.jpg\", 1]]", NULL,
         "captions: has rows without names, of which not one column has pictures and one captions; "
         "give rows with names, as of pandas' to_json(orient=\"records\")"},
        {"{\"image\": [\"a.jpg\", \"b.jpg\"], \"caption\": [\"A dog\"]}", NULL,
         "captions: has columns of 1 and of 2 rows; give as many of each"},
        {"[\"a.jpg\"]", NULL,
         "captions: names pictures and has no captions; give the file that has the captions"},
        {"a.jpg\nb b.jpg\n", NULL,
         "captions: holds no captions in a format that is known; give Flickr8k's captions.txt or "
         "Flickr8k.token.txt, captions in JSON as of COCO or Karpathy, or a table with the header "
         "\"image,caption\""},
        {"image,caption\na.jpg,\"A dog\nb b.jpg,A cat\n", NULL,
         "captions: a quote that begins in line 2 is not closed; close it; one inside of a text "
         "stands twice"},
        {"\xff\xfei\1m\1", NULL, "captions: is text in UTF-16; save it as UTF-8"},
        {"image,caption\nc.jpg,A dog\n", NULL,
         "…has none of the pictures that captions name, such as c.jpg; give the folder of the "
         "pictures that the captions name"},
        {"image,caption\na.jpg,A dog\n", "c.jpg\n",
         "held: names no picture that has captions; give a file that names pictures as the "
         "captions do"},
        {"image,caption\na.jpg,A dog\n", "{",
         "held: line 1 is not valid JSON; check it with a JSON tool"},
        {"PK\3\4 of a zip", NULL, "captions: …"},
    };
    write_pictures(s, two);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_pictures p;
        sac_error error = {0};
        assert_true(open_texts(s, rows[i].captions, rows[i].val, &p, &error) != SAC_OK);
        assert_line(s, &error, rows[i].line);
        assert_null(p.items);
        assert_int_equal(p.count, 0);
    }
}

/* Where no file has that very name, and one alone has it in other letters. */
IN_SCRATCH(pictures_are_found_in_other_letters_with_a_note)
{
    static const char *const names[] = {"a.jpg", "B.JPG", "cd.jpg", "CD.jpg", NULL};
    write_pictures(s, names);
    assert_read(
        s,
        "image,caption\nA.JPG,one\nA.jpg,two\nb.jpg,three\nB.JPG,four\ncd.jpg,five\nCd.jpg,six\n",
        "A.jpg\n", "B.JPG/train:three|four| a.jpg/val:one|two| cd.jpg/train:five|",
        "left out: 1 pictures that captions name and the folder does not have: Cd.jpg (several "
        "files)\n"
        "left out: 1 pictures without a caption: CD.jpg\n"
        "3 names are in other letters than their files: A.JPG is a.jpg\n");
}

IN_SCRATCH(pictures_are_found_in_folders_by_path_name_or_stem)
{
    static const char *const names[] = {"one/a.jpg", "one/b.jpg", "two/b.jpg",
                                        "two/c.png", "c.png",     NULL};
    char one[160], two_path[160];
    strcpy(one, scratch_path(s, "one"));
    strcpy(two_path, scratch_path(s, "two"));
    mkdir(one, 0777);
    mkdir(two_path, 0777);
    write_pictures(s, names);
    assert_read(s,
                "image,caption\na,first\none/"
                "b.jpg,second\nb.jpg,which\ntwo/"
                "c.png,third\nc.png,fourth\nc:\\data\\one\\a.jpg,again\n../../etc/passwd,out\n",
                "two/c.png\n",
                "c.png/train:fourth| a.jpg/train:first|again| b.jpg/train:second| c.png/val:third|",
                "left out: 2 pictures that captions name and the folder does not have: b.jpg "
                "(several files), ../../etc/passwd\n"
                "left out: 1 pictures without a caption: two/b.jpg\n");
    for (int i = 0; names[i]; i++)
        unlink(scratch_path(s, names[i]));
    rmdir(one);
    rmdir(two_path);
}

/* é is one letter, or e and an accent, as in names of macOS; cameras write .JPG. */
IN_SCRATCH(pictures_are_found_by_names_in_other_forms)
{
    static const char *const names[] = {"caf\xc3\xa9.JPG", "o\xcc\x88l.png", "x.jpg", "x.JPG",
                                        NULL};
    write_pictures(s, names);
    assert_read(s,
                "image,caption\ncafe\xcc\x81.jpg,first\ndata\\\xc3\xb6l.PNG,second\nx.JPG,third\nx."
                "jpg,fourth\n",
                "caf\xc3\xa9",
                "caf\xc3\xa9.JPG/val:first| o\xcc\x88l.png/train:second| x.JPG/train:third| "
                "x.jpg/train:fourth|",
                "");
}

/* COCO's numbers, where no list of pictures has them. */
IN_SCRATCH(pictures_are_found_by_the_number_that_their_name_ends_in)
{
    static const char *const names[] = {"COCO_val2014_000000000042.jpg", "000000391895.jpg", NULL},
                             *const files[] = {
                                 "[{\"image_id\": 42, \"caption\": \"a dog\"}, {\"image_id\": "
                                 "\"391895\", \"caption\": \"a man\"}]",
                                 "{\"42\": [\"a dog\"], \"391895\": [{\"caption\": \"a man\"}]}",
                                 "image_id,caption\n42,a dog\n391895,a man\n",
                             };
    write_pictures(s, names);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_read(s, files[i], "000000391895.jpg",
                    "000000391895.jpg/val:a man| COCO_val2014_000000000042.jpg/train:a dog|", "");
}

IN_SCRATCH(a_file_of_the_val_split_may_have_captions_of_its_own)
{
    static const char *const names[] = {"a.jpg", "b.jpg", NULL};
    write_pictures(s, names);
    assert_read(s, "image,caption\na.jpg,A dog\n", "image,caption\nb.jpg,A cat\nb.jpg,Two cats\n",
                "a.jpg/train:A dog| b.jpg/val:A cat|Two cats|", "");
    assert_read(s, "image,caption\na.jpg,A dog\nb.jpg,A cat\n",
                "image,caption\nb.jpg,A cat\nb.jpg,Two cats\n",
                "a.jpg/train:A dog| b.jpg/val:A cat|", "");
}

IN_SCRATCH(a_share_is_held_out_by_names_alone)
{
    char captions[20000] = "image,caption\n", name[16];
    size_t used = strlen(captions);
    sac_pictures p, fewer;
    for (int i = 0; i < 400; i++) {
        const char *const one[] = {name, NULL};
        snprintf(name, sizeof name, "%03d.jpg", i);
        write_pictures(s, one);
        used += (size_t)snprintf(captions + used, sizeof captions - used, "%s,A dog\n", name);
    }
    OK(open_texts(s, captions, NULL, &p, NULL));
    assert_int_equal(p.of_split[SAC_SPLIT_VAL], 40);
    assert_int_equal(p.of_split[SAC_SPLIT_TRAIN], 360);
    captions[strlen("image,caption\n") + 200 * strlen("000.jpg,A dog\n")] = '\0';
    OK(open_texts(s, captions, NULL, &fewer, NULL));
    assert_int_equal(fewer.of_split[SAC_SPLIT_VAL], 20);
    int other = 0;
    for (size_t i = 0; i < fewer.count; i++)
        other += fewer.items[i].split != p.items[i].split;
    assert_in_range(other, 0, 5);
    sac_pictures_free(&p);
    sac_pictures_free(&fewer);
    captions[strlen("image,caption\n") + 2 * strlen("000.jpg,A dog\n")] = '\0';
    OK(open_texts(s, captions, NULL, &p, NULL));
    assert_int_equal(p.of_split[SAC_SPLIT_VAL], 1);
    sac_pictures_free(&p);
}

IN_SCRATCH(words_are_those_of_training_captions_by_frequency)
{
    static const char *const names[] = {"a.jpg", "b.jpg", NULL};
    char captions[160], val[160];
    sac_pictures p, again;
    write_pictures(s, names);
    write_text(s, "captions",
               "image,caption\na.jpg,a dog and a cat left of a dog\na.jpg,cat, "
               "antidisestablishmentarianism antidisestablishmentarianism\nb.jpg,a "
               "zebra zebra dog\n");
    strcpy(captions, s->path);
    write_text(s, "held", "b.jpg");
    strcpy(val, s->path);
    sac_pictures_options options = {
        .sets = {{s->folder, .captions = captions, .val = val}}, .least = 2, .longest = 4};
    OK(sac_pictures_open(&options, &p, &failure));
    assert_int_equal(p.vocabulary.count, SAC_VOCABULARY_MARKS + 3);
    assert_string_equal(p.vocabulary.texts[4], "a");
    assert_string_equal(p.vocabulary.texts[5], "cat");
    assert_string_equal(p.vocabulary.texts[6], "dog");
    static const int expected[] = {4, 6, SAC_VOCABULARY_UNKNOWN, 4};
    assert_int_equal(p.items[0].captions[0].count, 4);
    assert_memory_equal(p.items[0].captions[0].words, expected, sizeof expected);
    assert_int_equal(p.cut, 1);
    assert_int_equal(p.captions, 3);
    assert_string_equal(p.items[1].captions[0].plain, "a zebra zebra dog");
    options.vocabulary = &p.vocabulary;
    options.least = 1;
    OK(sac_pictures_open(&options, &again, &failure));
    assert_int_equal(again.vocabulary.count, p.vocabulary.count);
    sac_pictures_drop_broken(&again, 0);
    assert_int_equal(again.count, 1);
    assert_string_equal(again.items[0].name, "b.jpg");
    assert_int_equal(again.of_split[SAC_SPLIT_TRAIN], 0);
    assert_int_equal(again.captions, 1);
    char line[300];
    assert_true(sac_pictures_report_line(&again, 0, line, sizeof line));
    assert_string_equal(
        line, "1 pictures (0 train, 1 val, 0 test), 1 captions, 3 words; 45.5 % of the captions' "
              "words are unknown, most often antidisestablishmentarianism, zebra, and; 1 captions "
              "are cut at 4 words");
    assert_true(sac_pictures_report_line(&again, 1, line, sizeof line));
    assert_string_equal(line, "left out: 1 files that cannot be read as pictures: a.jpg");
    sac_pictures_free(&p);
    sac_pictures_free(&again);
}

/* What captions agree on stays, as do two people in one caption, and what is held out. */
IN_SCRATCH(people_are_persons_where_captions_disagree)
{
    static const char *const names[] = {"a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg", NULL};
    static const struct {
        const char *captions[3], *expected[3];
    } rows[] = {
        {{"a man on his board", "the woman rides", "two males"},
         {"a person on their board", "the person rides", "two people"}},
        {{"Boys, and a dog", "a girl", "children play"},
         {"children and a dog", "a child", "children play"}},
        {{"a young woman runs", "a girl in her dress", "somebody"},
         {"a young person runs", "a person in her dress", "somebody"}},
        {{"a man and a woman", "a man", "a woman"}, {"a man and a woman", "a man", "a woman"}},
        {{"a man with a boy", "two men", "a manhole"},
         {"a man with a boy", "two men", "a manhole"}},
        {{"a man", "a woman", "a boy"}, {"a man", "a woman", "a boy"}}, /* held out */
    };
    char captions[160], val[160], text[2000] = "image,caption\n", line[500];
    sac_pictures p;
    write_pictures(s, names);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s,\"%s\"\n", names[i],
                     rows[i].captions[k]);
    write_text(s, "captions", text);
    strcpy(captions, s->path);
    write_text(s, "held", "f.jpg");
    strcpy(val, s->path);
    sac_pictures_options options = {.sets = {{s->folder, .captions = captions, .val = val}},
                                    .general_people = true};
    OK(sac_pictures_open(&options, &p, &failure));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            assert_string_equal(p.items[i].captions[k].plain, rows[i].expected[k]);
    assert_string_equal(p.items[0].captions[0].text, rows[0].captions[0]);
    assert_true(sac_pictures_report_line(&p, 0, line, sizeof line));
    assert_non_null(strstr(
        line, "; people have a more general word in the captions of 3 pictures, which disagree"));
    sac_pictures_free(&p);
    options.general_people = false;
    OK(sac_pictures_open(&options, &p, &failure));
    assert_string_equal(p.items[0].captions[1].plain, "the woman rides");
    sac_pictures_free(&p);
}

/* A text of `repeats` times "w1 w2 … w10", and one word that stands there `seldom` times. */
static void assert_limit(scratch *s, int repeats, int seldom, int least, double unknown)
{
    char text[16000] = "image,caption\n", captions[160];
    size_t used = strlen(text);
    sac_pictures p;
    for (int i = 0; i < repeats; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "a.jpg,w1 w2 w3 w4 w5 w6 w7 w8 w9 w10%s\n",
                                 i < seldom ? " seldom" : "");
    write_text(s, "captions", text);
    strcpy(captions, s->path);
    const sac_pictures_options options = {.sets = {{s->folder, .captions = captions}}};
    OK(sac_pictures_open(&options, &p, &failure));
    assert_int_equal(p.least, least);
    assert_float_equal(sac_pictures_unknown_share(&p), unknown, 1e-9);
    sac_pictures_free(&p);
}

/* Five times, unless more than a twentieth of the text would be unknown then. */
IN_SCRATCH(of_little_text_more_words_are_kept)
{
    static const char *const names[] = {"a.jpg", NULL};
    write_pictures(s, names);
    assert_limit(s, 1, 1, 1, 0);
    assert_limit(s, 4, 0, 4, 0);
    assert_limit(s, 5, 0, 5, 0);
    assert_limit(s, 100, 4, 5, 4.0 / 1004);
    assert_limit(s, 7, 4, 4, 0);        /* 4 of 74 are too many */
    assert_limit(s, 7, 3, 5, 3.0 / 73); /* 3 of 73 are not */
}

IN_SCRATCH(words_that_the_vocabulary_does_not_have_are_counted_and_named)
{
    static const char *const names[] = {"a.jpg", NULL}, *const english[] = {"a", "dog", "runs"};
    char captions[160], line[300];
    sac_caption_vocabulary words;
    sac_pictures p;
    write_pictures(s, names);
    write_text(s, "captions", "image,caption\na.jpg,un chien court\na.jpg,un chien a un os\n");
    strcpy(captions, s->path);
    OK(sac_caption_vocabulary_create(english, 3, &words, &failure));
    const sac_pictures_options options = {.sets = {{s->folder, .captions = captions}},
                                          .vocabulary = &words};
    OK(sac_pictures_open(&options, &p, &failure));
    assert_float_equal(sac_pictures_unknown_share(&p), 7.0 / 8, 1e-9);
    assert_true(sac_pictures_report_line(&p, 0, line, sizeof line));
    assert_string_equal(line, "1 pictures (1 train, 0 val, 0 test), 2 captions, 3 words; 87.5 % of "
                              "the captions' words are unknown, most often un, chien, court");
    sac_pictures_free(&p);
    sac_caption_vocabulary_free(&words);
}

/* It counts twice, as in the usual scores. */
IN_SCRATCH(a_caption_that_stands_twice_for_a_picture_is_named)
{
    write_pictures(s, two);
    assert_read(s, "image,caption\na.jpg,A dog.\na.jpg,a dog\nb b.jpg,A dog.\n", "b b.jpg",
                "a.jpg/train:A dog.|a dog| b b.jpg/val:A dog.|",
                "1 captions stand twice for their picture, and count twice: a.jpg\n");
}

/* A held-out picture that cannot be decoded is replaced by the next in the order of hashes, whenever it is
 * found out; one that a list names is not. */
IN_SCRATCH(another_picture_is_drawn_for_one_that_cannot_be_read)
{
    enum { ALL = 20 };
    char text[600] = "image,caption\n", captions[160], val[160], first[16], second[16];
    sac_pictures p;
    for (int i = 0; i < ALL; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c.jpg", 'a' + i);
        const char *const one[] = {name, NULL};
        write_pictures(s, one);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s,a dog\n", name);
    }
    write_text(s, "captions", text);
    strcpy(captions, s->path);
    sac_pictures_options options = {.sets = {{s->folder, .captions = captions}}, .held_out = 0.05f};
    OK(sac_pictures_open(&options, &p, &failure));
    for (int pass = 0; pass < 2; pass++) {
        size_t held = 0;
        while (p.items[held].split != SAC_SPLIT_VAL)
            held++;
        snprintf(pass ? second : first, sizeof first, "%s", p.items[held].name);
        assert_int_equal(p.of_split[SAC_SPLIT_VAL], 1);
        assert_int_equal(p.of_split[SAC_SPLIT_TRAIN], ALL - 1 - pass);
        sac_pictures_drop_broken(&p, held);
    }
    assert_string_not_equal(first, second);
    for (size_t i = p.count; i-- > 0;) /* all but one: none is left to be held out */
        if (p.count > 2)
            sac_pictures_drop_broken(&p, i);
    assert_int_equal(p.of_split[SAC_SPLIT_VAL], 1);
    sac_pictures_drop_broken(&p, p.items[0].split == SAC_SPLIT_VAL ? 0 : 1);
    assert_int_equal(p.of_split[SAC_SPLIT_TRAIN], 1);
    assert_int_equal(p.of_split[SAC_SPLIT_VAL], 0);
    sac_pictures_free(&p);
    write_text(s, "held", "c.jpg");
    strcpy(val, s->path);
    options.sets[0].val = val;
    OK(sac_pictures_open(&options, &p, &failure));
    sac_pictures_drop_broken(&p, 2);
    assert_int_equal(p.of_split[SAC_SPLIT_VAL], 0);
    sac_pictures_free(&p);
}

/* Each has its own captions and lists; one without a list holds a share out. */
IN_SCRATCH(several_sets_are_opened_as_one)
{
    static const char *const names[] = {"A/a.jpg", "A/b.jpg", "A/c.jpg", "B/a.jpg",
                                        "B/d.jpg", "C/e.jpg", "C/f.jpg", NULL};
    static const char *const texts[][2] = {
        {"A.csv", "image,caption\na.jpg,a dog\nb.jpg,a cat\nc.jpg,a fish\nd.jpg,a bird\n"},
        {"A.val", "c.jpg\n"},
        {"B.json", "[{\"image\": \"a.jpg\", \"caption\": \"a boat\"}, {\"image\": \"d.jpg\", "
                   "\"caption\": [\"a sea\", \"waves\"]}]"},
        {"B.val", "d.jpg\n"},
        {"C/e.txt", "a house\n"},
        {"C/f.txt", "a tree\n"}};
    char paths[7][160], text[600], wanted[1000];
    sac_pictures p;
    for (int i = 0; i < 3; i++)
        assert_int_equal(mkdir(scratch_path(s, (const char *[]){"A", "B", "C"}[i]), 0777), 0);
    write_pictures(s, names);
    for (size_t i = 0; i < 4; i++) {
        write_text(s, texts[i][0], texts[i][1]);
        strcpy(paths[i], s->path);
    }
    for (size_t i = 4; i < 6; i++)
        write_text(s, texts[i][0], texts[i][1]);
    for (int i = 0; i < 3; i++)
        strcpy(paths[4 + i], scratch_path(s, (const char *[]){"A", "B", "C"}[i]));
    const sac_pictures_options options = {
        .sets = {{paths[4], .captions = paths[0], .val = paths[1]},
                 {paths[5], .captions = paths[2], .val = paths[3]},
                 {paths[6]}},
        .least = 1};
    OK(sac_pictures_open(&options, &p, &failure));
    write_all(&p, text, sizeof text);
    const char *third = strstr(text, " e.jpg/val") ? " e.jpg/val:a house| f.jpg/train:a tree|"
                                                   : " e.jpg/train:a house| f.jpg/val:a tree|";
    snprintf(wanted, sizeof wanted,
             "a.jpg/train:a dog| b.jpg/train:a cat| c.jpg/val:a fish| "
             "a.jpg/train:a boat| d.jpg/val:a sea|waves|%s",
             third);
    assert_string_equal(text, wanted);
    assert_true(sac_pictures_report_line(&p, 0, text, sizeof text));
    assert_non_null(strstr(text, "7 pictures (4 train, 3 val, 0 test), 8 captions, "));
    write_report(&p, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "%s: 3 pictures (2 train, 1 val, 0 test), 3 captions\n"
             "%s: left out: 1 pictures that captions name and the folder does not have: d.jpg\n"
             "%s: 2 pictures (1 train, 1 val, 0 test), 3 captions\n"
             "%s: 2 pictures (1 train, 1 val, 0 test), 2 captions\n",
             paths[4], paths[4], paths[5], paths[6]);
    assert_string_equal(text, wanted);
    sac_pictures_drop_broken(&p, 3);
    assert_int_equal(p.sets[1].skipped[SAC_SKIP_BROKEN].count, 1);
    assert_int_equal(p.sets[0].skipped[SAC_SKIP_BROKEN].count, 0);
    sac_pictures_free(&p);
    for (int i = 0; names[i]; i++)
        unlink(scratch_path(s, names[i]));
    for (size_t i = 4; i < 6; i++)
        unlink(scratch_path(s, texts[i][0]));
    for (int i = 0; i < 3; i++)
        rmdir(paths[4 + i]);
}

TEST_MAIN(NULL, NULL)

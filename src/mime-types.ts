// Made by scripts/mime-types.mjs of mime-db, which is MIT licensed; change that script instead.

/** A MIME type and the endings of names that tell it, on each line. */
export const MIME_TYPES = `
application/epub+zip epub
application/gzip gz
application/java-archive jar
application/json json
application/ld+json jsonld
application/msword doc
application/pdf pdf
application/pkcs7-mime p7m
application/pkcs7-signature p7s
application/postscript ai eps ps
application/sql sql
application/toml toml
application/vnd.android.package-archive apk
application/vnd.google-earth.kml+xml kml
application/vnd.ms-excel xls
application/vnd.ms-powerpoint ppt
application/vnd.oasis.opendocument.presentation odp
application/vnd.oasis.opendocument.spreadsheet ods
application/vnd.oasis.opendocument.text odt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
application/vnd.rar rar
application/vnd.visio vsdx
application/wasm wasm
application/x-7z-compressed 7z
application/x-bzip2 bz2
application/x-pkcs12 pfx
application/x-sh sh
application/x-tar tar
application/x-x509-ca-cert pem
application/xhtml+xml xhtml
application/zip zip
audio/aac aac
audio/midi mid
audio/mp4 m4a
audio/mpeg mp3
audio/ogg oga ogg opus
audio/webm weba
audio/x-flac flac
audio/x-wav wav
font/otf otf
font/ttf ttf
font/woff woff
font/woff2 woff2
image/avif avif
image/bmp bmp
image/gif gif
image/heic heic
image/heif heif
image/jpeg jpeg jpg
image/png png
image/svg+xml svg
image/tiff tif tiff
image/vnd.adobe.photoshop psd
image/vnd.microsoft.icon ico
image/webp webp
message/rfc822 eml
model/gltf+json gltf
model/gltf-binary glb
model/step step
model/stl stl
text/calendar ics
text/css css
text/csv csv
text/html htm html
text/javascript js mjs
text/markdown md
text/plain txt
text/rtf rtf
text/tab-separated-values tsv
text/x-vcard vcf
text/xml xml
text/yaml yaml yml
video/mp4 mp4
video/mpeg mpeg
video/ogg ogv
video/quicktime mov
video/webm webm
video/x-m4v m4v
video/x-matroska mkv
video/x-msvideo avi
`

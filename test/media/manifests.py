"""Signs and verifies by the reference implementation of C2PA, for each line of JSON that it reads.

python3 manifests.py CHAIN KEY   certificates in PEM, that of the signer first, and its key (P-256)

{"do": "sign", "in": path, "out": path}     answers with null
{"do": "verify", "in": path}                answers with the state of the manifest, and the codes of what is wrong
{..., "count": n}                           does it n times on bytes in memory; answers with the CPU seconds of one
"""

import io
import json
import mimetypes
import sys
import time

import c2pa

mimetypes.add_type("image/webp", ".webp")
chain, key = (open(path, "rb").read() for path in sys.argv[1:])
signer = c2pa.Signer.from_info(c2pa.C2paSignerInfo(alg=b"es256", sign_cert=chain, private_key=key, ta_url=None))
context = c2pa.Context.from_dict({"builder": {"thumbnail": {"enabled": False}}})
CAPTURE = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
MANIFEST = {
    "claim_generator_info": [{"name": "test", "version": "1"}],
    "assertions": [
        {
            "label": "c2pa.actions",
            "data": {"actions": [{"action": "c2pa.created", "digitalSourceType": CAPTURE}]},
        }
    ],
}


def sign(data, kind):
    signed = io.BytesIO()
    c2pa.Builder(MANIFEST, context).sign(signer, kind, io.BytesIO(data), signed)
    return signed.getvalue()


def verify(data, kind):
    with c2pa.Reader(kind, io.BytesIO(data), context=context) as reader:
        found = json.loads(reader.json())
    return [found["validation_state"], *(one["code"] for one in found.get("validation_status", []))]


for line in sys.stdin:
    request = json.loads(line)
    kind, _ = mimetypes.guess_type(request["in"])
    with open(request["in"], "rb") as file:
        data = file.read()
    work = {"sign": sign, "verify": verify}[request["do"]]
    result = None
    if "count" in request:
        start = time.process_time()
        for _ in range(request["count"]):
            work(data, kind)
        result = (time.process_time() - start) / request["count"]
    elif request["do"] == "sign":
        with open(request["out"], "wb") as file:
            file.write(sign(data, kind))
    else:
        result = verify(data, kind)
    print(json.dumps(result), flush=True)

// Holds a private key and signs what it is sent: {"sign": <base64>} on a line, answered by {"signature": <base64>}.
import { generateKeyPairSync, sign } from 'node:crypto'
import { createInterface } from 'node:readline'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
print({ publicKey: publicKey.export({ type: 'spki', format: 'pem' }) })
for await (const line of createInterface({ input: process.stdin })) {
  print({ signature: sign(null, Buffer.from(JSON.parse(line).sign, 'base64'), privateKey).toString('base64') })
}

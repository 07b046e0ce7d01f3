// The functions that need no agent.
import { equal, refused } from '../assert.mjs'

const digests = {
  '': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  abc: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  é: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
  'e\u0301': 'bf12767b0f2a56b2190075bae8169f656e3ce8d6357d4aff184bc6c7ea48f9f6',
  [`${'a'.repeat(1_000_000)}`]: 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
}

const standard = `{
  "sxDataDirectory": "./sx_data",
  "sxKeyDirectory": "./sx_keys",
  "sxAgentPrivateKeyFilename": "sx.private.pem",
  "sxAgentPublicKeyFilename": "sx.public.pem",
  "sxAgentKeyAlgorithm": "pq2025",
  "sxDefaultStorage": "fs"
}
`

const wrong = {
  sxDataDirectory: ['', '../elsewhere', 'a/../../b', 17],
  sxKeyDirectory: ['..\\b', '\0'],
  sxAgentPrivateKeyFilename: ['../../id_ed25519', 'con', 'a/b', '', 'k.pem.2'],
  sxAgentPublicKeyFilename: ['..', 'a\\b', 'sx.private.pem', 'SX.private.pem.10'],
  sxAgentKeyAlgorithm: ['rsa', 'PQ2025', ''],
  sxAgentIdAndVersion: ['me', '6fa459ea-ee8a-4ca4-894e-db77e160355e'],
  sxDefaultStorage: ['cloud'],
  sxUseSecurity: [true, null],
  sxPrivateKeyPassword: [17],
}

export function utilities({ main, SxError }) {
  const { createConfig, hashString } = main
  return [
    [
      'hashString is SHA-256 of the UTF-8 bytes',
      async () => {
        for (const [text, digest] of Object.entries(digests)) equal(hashString(text), digest, text.slice(0, 9))
      },
    ],
    [
      'hashString takes strings alone',
      async () => {
        for (const value of [undefined, null, 17, {}, new Uint8Array(2)]) {
          await refused(SxError, 'InvalidOption', async () => hashString(value), typeof value)
        }
        await refused(SxError, 'NotJson', async () => hashString('\ud800'), 'lone surrogate')
      },
    ],
    [
      'createConfig fills in what is left out',
      async () => {
        equal(createConfig(), standard)
        equal(createConfig({}), standard)
        equal(createConfig({ sxDataDirectory: undefined }), standard)
      },
    ],
    [
      'createConfig keeps what is given',
      async () => {
        const given = {
          sxUseSecurity: 'false',
          sxDataDirectory: '/srv/data',
          sxAgentKeyAlgorithm: 'ring-Ed25519',
          sxAgentIdAndVersion: '6fa459ea-ee8a-4ca4-894e-db77e160355e:01890a5d-ac96-774b-bcce-b302099a8057',
          sxPrivateKeyPassword: 'p',
          sxDefaultStorage: 'indexeddb',
        }
        const made = JSON.parse(createConfig(given))
        for (const [name, value] of Object.entries(given)) equal(made[name], value, name)
        equal(made.sxKeyDirectory, './sx_keys')
      },
    ],
    ...Object.entries(wrong).map(([name, bad]) => [
      `createConfig names ${name} where it is wrong`,
      async () => {
        for (const value of bad) {
          const message = await refused(
            SxError,
            'InvalidConfig',
            async () => createConfig({ [name]: value }),
            String(value),
          )
          equal(message.includes(`'${name}'`), true, message)
        }
      },
    ]),
    [
      'createConfig refuses fields that it does not know, by name',
      async () => {
        for (const name of ['sxPublicOrigin', 'owner']) {
          const message = await refused(SxError, 'InvalidOption', async () => createConfig({ [name]: 'x' }))
          equal(message.includes(`'${name}'`), true, message)
        }
      },
    ],
  ]
}

import type { Operation } from '../effects.ts'
import * as texts from '../operations/text.ts'
import type { Session } from '../session.ts'
import type { Bytes, FetchOptions, TextSource, VerifyTextOptions, VerifyTextResult } from '../types.ts'
import { asynchronous, nothing, privateKey } from './form.ts'

/** A file is changed in place; of any other text the signed one is returned. */
interface SignText {
  (path: string, options?: FetchOptions): Promise<void>
  (text: Exclude<TextSource, string>, options?: FetchOptions): Promise<Bytes>
  (source: TextSource, options?: FetchOptions): Promise<Bytes | void>
}

/**
 * Signs a text of any kind, in UTF-8: a block with the signature is put after it (protocol, section 20). The text
 * itself stays as it is, byte for byte; line ends and blanks count. Several agents may sign, one after the other; who
 * signs again replaces the own signature only.
 *
 * A file (in Node, Deno and Bun) is changed in place, whole or not at all, and keeps its permissions.
 *
 * @param source path of the file; or the text as `File`, `Blob`, `Response`, bytes, `{ text }` or the `URL` to fetch it
 *   from; what is passed is left as it is
 * @param options of a `URL` or `Response`: `signal` ends the reading; `timeout`, milliseconds that the server may send
 *   nothing, default 30,000
 * @returns nothing for a path; otherwise the bytes of the signed text
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `NotText`;
 *   `MarkerCollision` for a line that reads as the first or last one of a signature and is none, and for a damaged
 *   signature; `LimitExceeded` for more than 32 MiB (the agent's limit of bytes) or 500 signatures; `Unverifiable` for a
 *   response or address that cannot be read, `TimedOut` for one that goes silent. Of files: `NotFound`;
 *   `LinkRefused` for symbolic and hard links; `FileChanged` if somebody else has changed the text meanwhile, whose
 *   change is kept; storage codes; `InvalidOption` for a path where there are no files
 * @example
 * import { readFileSync, writeFileSync } from 'node:fs'
 * writeFileSync('contract.md', '# Contract\n')
 * await signText('contract.md')
 * console.log(readFileSync('contract.md', 'utf8').split('\n')[1]) // -----BEGIN SX SIGNATURE-----
 *
 * const signed = await signText({ text: '# Contract\n' })
 * console.log((await verifyText(signed)).valid) // true
 */
export const signText = asynchronous(
  { needs: privateKey, options: { at: 1, names: { signal: true, timeout: true } }, source: 'text' },
  function signText(session: Session, source: TextSource, options: FetchOptions = {}): Operation<unknown> {
    return texts.signText(session, source, options)
  },
) as SignText

/**
 * The verdict on a text and on each of its signatures (protocol, section 20). Never throws because of
 * what is in the text, unless `strict` asks for it.
 *
 * What is signed is the text before the first signature, `length` bytes of it. To use it, read a file once and verify
 * these bytes: a path may hold another text a moment later.
 *
 * @param source path of the file; or the text as `File`, `Blob`, `Response`, bytes, `{ text }` or the `URL` to fetch it
 *   from
 * @param options `strict`: a text without any signature is an error; `keyDir`: more public keys, a folder of
 *   `<agentId>.public.pem` files or the keys by agent id, which is also what `keys` takes. With either of both no agent
 *   has to be loaded; `dataDirectory`: agent documents and a trust store, in place of the agent; `key`: the one key that
 *   counts; `signal` and `timeout`, as for `signText`
 * @throws SxError `NoAgentLoaded` without keys; `MissingSignature` with `strict`; `LimitExceeded` for more than 32 MiB
 *   (the agent's limit of bytes) or 500 signatures; `Unverifiable` for a response or address that cannot be read,
 *   `TimedOut` for one that goes silent; `NotFound` for the file or the folder; storage codes; `InvalidOption`, also for a
 *   path where there are no files
 * @example
 * const signed = await signText({ text: 'To pay: 100' })
 * const { valid, length, signers } = await verifyText(signed)
 * if (valid) console.log(new TextDecoder().decode(signed.subarray(0, length))) // To pay: 100
 *
 * const forged = new TextDecoder().decode(signed).replace('100', '900')
 * const result = await verifyText({ text: forged })
 * console.log(result.valid, result.signers[0].code, signers[0].status) // false HashMismatch valid
 */
export const verifyText = asynchronous(
  {
    needs: nothing,
    options: {
      at: 1,
      names: { signal: true, timeout: true, strict: true, keyDir: true, keys: true, dataDirectory: true, key: true },
    },
    source: 'text',
  },
  function verifyText(
    session: Session,
    source: TextSource,
    options: VerifyTextOptions = {},
  ): Operation<VerifyTextResult> {
    return texts.verifyText(session, source, options)
  },
)

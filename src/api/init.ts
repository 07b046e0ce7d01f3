import { moduleNames } from '#modules'
import type { Session } from '../session.ts'
import { type InitOptions, initialise } from '../utilities.ts'
import { awaited, nothing } from './form.ts'

/**
 * Loads the WebAssembly core. In a page or worker call it once before the first `…Sync` function;
 * asynchronous functions load it themselves, and Node does not need it. Calling it again does
 * nothing.
 *
 * @param options.core where the module is: an address, a response, its bytes or the compiled
 *   module; by default the file that the package brings along
 * @param options.media, options.pixels the same for the modules for images and their pixels, which are loaded on first use
 * @param options.schema the same for the module for custom schemas; with it, or with `true` for the file that the package
 *   brings along, that module is loaded now, so that `createDocumentSync` can use schemas in a page
 * @param options.agreement, options.exchange the same for the modules for agreements and for requests
 * @param options.keptKeys how much the core keeps of public keys that it has met several times: signatures by them are
 *   verified several times as fast. Holds for this thread; calling again changes it
 * @param options.trustedTypes in a page whose Content-Security-Policy has `require-trusted-types-for 'script'`: a policy
 *   that allows the addresses of the library's workers, made with `trustedTypes.createPolicy`
 * @throws SxError `WasmUnavailable` if the page forbids WebAssembly or the file is not served;
 *   `InvalidOption`
 * @example
 * await init()
 */
export const init = awaited(
  {
    needs: nothing,
    options: {
      at: 0,
      names: /* @__PURE__ */ Object.assign({}, moduleNames, { keptKeys: true, trustedTypes: true } as const),
    },
  },
  function init(_: Session, options?: InitOptions): Promise<void> {
    return initialise(options)
  },
)

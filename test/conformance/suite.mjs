// The cases that must have one outcome in every runtime and in every build: no test framework, nothing but the
// language, so that a runner is a few lines anywhere.
import { agreementField } from './cases/agreement-field.mjs'
import { agreements } from './cases/agreements.mjs'
import { artifacts } from './cases/artifacts.mjs'
import { discovery } from './cases/discovery.mjs'
import { files } from './cases/files.mjs'
import { images } from './cases/images.mjs'
import { json, values } from './cases/json.mjs'
import { keys } from './cases/keys.mjs'
import { limits } from './cases/limits.mjs'
import { results } from './cases/results.mjs'
import { keysOverTime } from './cases/rotations.mjs'
import { schemas } from './cases/schemas.mjs'
import { texts } from './cases/texts.mjs'
import { rollback, trust } from './cases/trust.mjs'
import { twins } from './cases/twins.mjs'
import { utilities } from './cases/utilities.mjs'
import { verdicts } from './cases/verdicts.mjs'
import { world } from './world.mjs'

/** Cases of these modules of the library; each runs for itself, but only one at a time. */
export function cases(library) {
  const given = world(library)
  // The results come early: they take `crypto` away from the global object, which WebKit no longer notices in code that
  // ran often enough to be optimised.
  return [
    verdicts,
    results,
    json,
    values,
    keys,
    trust,
    rollback,
    keysOverTime,
    limits,
    utilities,
    artifacts,
    agreementField,
    agreements,
    discovery,
    files,
    schemas,
    texts,
    images,
    twins,
  ].flatMap((make) => make(given))
}

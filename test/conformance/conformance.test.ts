import * as main from 'sx-agent'
import * as simple from 'sx-agent/simple'
import * as storage from 'sx-agent/storage'
import { beforeAll, test } from 'vitest'
import { cases } from './suite.mjs'

beforeAll(() => main.init())

for (const [name, run] of cases({ main, simple, storage })) {
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects
  test(`${name}`, run)
}

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeVectors } from '../../scripts/vectors/make.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const made = makeVectors()

test('there is a file for everything that is made, and no other', () => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual(Object.keys(made).sort())
})

test.each(Object.keys(made))('%s is what the core makes, byte for byte', (name) => {
  expect(readFileSync(folder + name, 'utf8') === made[name]).toBe(true)
})

test.each(Object.entries(made))('%s says what it is for', (_, text) => {
  const { description, about } = JSON.parse(text) as { description: string; about: string[] }
  expect(description).toMatch(/^[A-Z].*\.$/)
  expect(about.length).toBeGreaterThan(0)
})

// Makes the pictures of docs/media.md from the example page: the verdict on a signed photograph, and on a changed one.
//
//   node scripts/pictures.mjs
//
// The photograph is drawn here. It needs the built package and Chromium (`node scripts/setup.mjs --dist --browsers`), and
// ImageMagick, which makes them small.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { SxAgent } from '../dist/node/index.js'
import { memoryStorage } from '../dist/node/storage/index.js'
import { chromiumArgs, findBrowser } from './browsers.mjs'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const settings = { configFile: at('vite.config.ts'), mode: 'production', logLevel: 'error' }

const outDir = await mkdtemp(join(tmpdir(), 'sx-pictures-'))
await build({ ...settings, build: { outDir, emptyOutDir: true } })
const server = await preview({ ...settings, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } })
const browser = await chromium.launch({ executablePath: findBrowser('chromium'), args: chromiumArgs })
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 2400 }, locale: 'en-GB', timezoneId: 'UTC' })
  await page.goto(server.resolvedUrls.local[0].replace('127.0.0.1', 'localhost'))
  const original = Buffer.from(await page.evaluate(draw, false), 'base64')
  const other = Buffer.from(await page.evaluate(draw, true), 'base64')
  const options = { algorithm: 'ed25519', storage: memoryStorage(), password: 'correct horse battery staple' }
  const { agent } = await SxAgent.create({ name: 'Harbour News, photo desk', ...options })
  const signed = Buffer.from(await agent.signImage(original, null))

  await page.locator('#create-name').fill('Picture desk')
  await page.getByLabel('Ed25519').check()
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.locator('#profile').waitFor()
  await page.locator('#trust-text').fill(agent.exportAgent())
  await page.getByRole('button', { name: 'Show the agent' }).click()
  await page.getByRole('button', { name: 'The key id matches: trust this agent' }).click()
  await page.getByText('You now trust').waitFor()

  // Whoever changes a picture can leave the signature in the file.
  const [from, to] = signatureIn(signed)
  const changed = Buffer.concat([other.subarray(0, from), signed.subarray(from, to), other.subarray(from)])
  for (const [name, buffer, step] of [
    ['signed', signed, 'trusted'],
    ['changed', changed, 'invalid'],
  ]) {
    await page.locator('#file').setInputFiles({ name: 'harbour.jpg', mimeType: 'image/jpeg', buffer })
    await page.locator(`#media-verdict [data-step=${step}]`).waitFor()
    await page.evaluate(() => {
      // What stands below the picture would be cut in two.
      for (const place of document.querySelectorAll('#media-sign, .judged details')) place.style.visibility = 'hidden'
    })
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const { x, y, width } = await page.locator('#subject').boundingBox()
    const [seen, verdict] = await Promise.all(
      ['#subject .seen', '#media-verdict'].map((place) => page.locator(place).boundingBox()),
    )
    const clip = { x: x - 16, y: y - 16, width: width + 32, height: Math.max(seen.height, verdict.height) + 32 }
    const shot = await page.screenshot({ clip })
    const reduce = ['png:-', '-strip', '+dither', '-colors', '64', `PNG8:${at(`docs/${name}-picture.png`)}`]
    execFileSync('convert', reduce, { input: shot })
  }
} finally {
  await browser.close()
  await server.close()
  await rm(outDir, { recursive: true })
}

/** Where the signature stands in a JPEG: its APP11 segment. */
function signatureIn(jpeg) {
  let start = 2
  while (jpeg[start + 1] !== 0xeb) start += 2 + jpeg.readUInt16BE(start + 2)
  return [start, start + 2 + jpeg.readUInt16BE(start + 2)]
}

/** Runs in the page: a harbour at dusk, with a second ship or not; a JPEG in base64. */
function draw(hasShip) {
  const canvas = document.createElement('canvas')
  canvas.width = 960
  canvas.height = 640
  const context = canvas.getContext('2d')
  const fill = (colour, points) => {
    context.fillStyle = colour
    context.beginPath()
    for (const [x, y] of points) context.lineTo(x, y)
    context.fill()
  }
  const sky = ['#27395c', '#3d4a72', '#6a5a80', '#a3687f', '#d98672', '#f2ad72', '#f8cf8c']
  sky.forEach((colour, band) => fill(colour, box(0, band * 58, 960, 60)))
  function box(x, y, width, height) {
    return [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ]
  }
  context.fillStyle = '#fff0c2'
  context.beginPath()
  context.arc(610, 360, 52, 0, 2 * Math.PI)
  context.fill()
  const ridge = (colour, base, height, step) => {
    const points = [[0, 640]]
    for (let x = 0; x <= 960; x += 12) {
      points.push([x, base - height * Math.abs(Math.sin(x / step) * Math.cos(x / (step * 2.3)) + Math.sin(x / 31) / 9)])
    }
    fill(colour, [...points, [960, 640]])
  }
  ridge('#7d6a86', 408, 120, 170)
  ridge('#4b4f70', 410, 70, 97)
  fill('#2c466b', box(0, 406, 960, 234))
  for (let row = 0; row < 9; row++) {
    const width = 150 - row * 9
    fill(row % 2 ? '#e9b27a' : '#c98f78', box(610 - width / 2 + (row % 3) * 9, 416 + row * 22, width, 6))
  }
  const ship = (x, y, size, colour) => {
    const put = (points) => points.map(([dx, dy]) => [x + dx * size, y + dy * size])
    fill(
      colour,
      put([
        [-70, 0],
        [70, 0],
        [54, 26],
        [-56, 26],
      ]),
    )
    fill(
      colour,
      put([
        [-4, -4],
        [-4, -120],
        [0, -120],
        [0, -4],
      ]),
    )
    fill(
      '#f4e3d0',
      put([
        [4, -10],
        [4, -116],
        [58, -10],
      ]),
    )
    fill(
      '#e3c9b3',
      put([
        [-8, -10],
        [-8, -100],
        [-46, -10],
      ]),
    )
  }
  ship(250, 500, 1.25, '#1b2438')
  if (hasShip) ship(800, 455, 0.85, '#1b2438')
  return canvas.toDataURL('image/jpeg', 0.92).split(',')[1]
}

import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { normalizeImage } from './normalize-image.mjs'

let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patchbay-normalized-'))
})

afterEach(() => rmSync(root, { recursive: true }))

const hash = (content) => createHash('sha256').update(content).digest('hex')

/** Writes images for platforms as Buildah does, with a container of its own for each. */
const writeImages = (container, file = 'the same layer') => {
  const folder = mkdtempSync(join(root, 'image-'))
  const write = (content, ending = '') => {
    writeFileSync(join(folder, `${hash(content)}${ending}`), content)
    return { size: content.length, digest: `sha256:${hash(content)}` }
  }
  const manifests = ['amd64', 'arm64'].map((architecture) => {
    const own = { Hostname: container, User: '10001:10001' }
    const config = write(JSON.stringify({ architecture, container, container_config: own, config: own }))
    const layers = [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar', ...write(file) }]
    return { platform: { architecture }, ...write(JSON.stringify({ config, layers }), '.manifest.json') }
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ manifests }))
  return folder
}

test('images that differ in random names only get the same digest, and others another one', () => {
  const digest = normalizeImage(writeImages('363e30c62346'))
  expect(normalizeImage(writeImages('b6ed06f5edea'))).toBe(digest)
  expect(normalizeImage(writeImages('b6ed06f5edea', 'another layer'))).not.toBe(digest)
})

test('every file has the name and the size of its content, and the configuration keeps all else', () => {
  const folder = writeImages('363e30c62346')
  const digest = normalizeImage(folder)
  const read = (name) => readFileSync(join(folder, name))
  const list = read('manifest.json')
  expect(digest).toBe(`sha256:${hash(list)}`)
  for (const name of readdirSync(folder).filter((each) => each !== 'manifest.json'))
    expect(hash(read(name))).toBe(name.replace('.manifest.json', ''))
  for (const entry of JSON.parse(list).manifests) {
    const content = read(`${entry.digest.slice(7)}.manifest.json`)
    expect(entry.size).toBe(content.length)
    const { config, layers } = JSON.parse(content)
    expect(JSON.parse(read(config.digest.slice(7)))).toEqual({
      architecture: entry.platform.architecture,
      config: { User: '10001:10001' },
      container_config: { User: '10001:10001' },
    })
    expect(layers).toMatchObject([{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip' }])
    expect(gunzipSync(read(layers[0].digest.slice(7))).toString()).toBe('the same layer')
  }
})

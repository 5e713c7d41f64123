// Makes an image in a folder (`dir:` of Buildah and Skopeo) depend on its files and its configuration only.
// `node scripts/release/normalize-image.mjs FOLDER` does so with an image that Buildah has pushed to `dir:FOLDER`, and
// prints its digest.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runOnPinnedNode } from '../run/ensure-node.mjs'

const tar = 'application/vnd.docker.image.rootfs.diff.tar'

const toHex = (digest) => digest.replace('sha256:', '')
const toDigest = (content) => `sha256:${createHash('sha256').update(content).digest('hex')}`
const describe = (content) => ({ size: content.length, digest: toDigest(content) })

/**
 * Removes the random names that Buildah writes into the configuration of images in Docker's format, and compresses the
 * layers, because compressors of other versions write other bytes. The format of OCI has no such names, and no health check.
 *
 * @param {string} folder an image, or several ones for different platforms
 * @returns the digest of the image or of the list of images
 */
export function normalizeImage(folder) {
  const path = (name) => join(folder, name)
  const readJson = (name) => JSON.parse(readFileSync(path(name), 'utf8'))
  /** Replaces a file that is named after its digest. Returns its new size and digest. */
  const replace = (old, content, ending = '') => {
    const described = describe(content)
    rmSync(path(old), { force: true })
    writeFileSync(path(`${toHex(described.digest)}${ending}`), content)
    return described
  }
  /** Platforms can share a layer. */
  const compressed = new Map()
  const compress = (layer) => {
    if (layer.mediaType !== tar) return layer
    const { digest } = layer
    if (!compressed.has(digest)) {
      const content = gzipSync(readFileSync(path(toHex(digest))), { level: 9 })
      compressed.set(digest, { mediaType: `${tar}.gzip`, ...replace(toHex(digest), content) })
    }
    return compressed.get(digest)
  }
  const normalize = (manifest) => {
    const { container: _container, ...configuration } = readJson(toHex(manifest.config.digest))
    for (const part of [configuration.config, configuration.container_config]) delete part?.Hostname
    const content = Buffer.from(JSON.stringify(configuration))
    const config = { ...manifest.config, ...replace(toHex(manifest.config.digest), content) }
    return Buffer.from(JSON.stringify({ ...manifest, config, layers: manifest.layers.map(compress) }))
  }

  const main = readJson('manifest.json')
  const manifests = main.manifests?.map((entry) => {
    const name = `${toHex(entry.digest)}.manifest.json`
    if (!existsSync(path(name)))
      throw new Error(`${folder} does not contain the image for ${entry.platform?.architecture}.`)
    return { ...entry, ...replace(name, normalize(readJson(name)), '.manifest.json') }
  })
  const content = manifests ? Buffer.from(JSON.stringify({ ...main, manifests })) : normalize(main)
  writeFileSync(path('manifest.json'), content)
  return toDigest(content)
}

await runOnPinnedNode(
  import.meta.url,
  () => {
    const [folder = ''] = process.argv.slice(2)
    console.log(normalizeImage(folder))
  },
  { isExact: true },
)

// `npm run release:version -- VERSION`: sets the version in all files that name it. A version without `-dev` also gets
// the heading of the changelog, with the date of today.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isVersion, readVersion, unreleasedHeading } from './release/version.mjs'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

/** Files that name the version, with the text before it. */
const occurrences = {
  'package.json': ['"version": "'],
  // The entry of the lock file, and that of its root package.
  'package-lock.json': ['"name": "patchbay",\n  "version": "', '"name": "patchbay",\n      "version": "'],
  'deploy/compose/standalone.yaml': ['image: patchbay:'],
  'deploy/compose/platform.yaml': ['image: patchbay:'],
  'deploy/kubernetes/base/kustomization.yaml': ['app.kubernetes.io/version: '],
  'deploy/kubernetes/platform/kustomization.yaml': ['newTag: '],
  'deploy/kubernetes/platform/migration-job.yaml': ['name: patchbay-migrate-'],
  'deploy/kubernetes/standalone/kustomization.yaml': ['newTag: '],
}

/**
 * Sets the version of the sources in a folder.
 *
 * @param {string} today the date of a release, such as 2026-11-28
 * @throws {Error} if the version is invalid, or a file does not name the current one
 */
export function setVersion(root, version, today) {
  if (!isVersion(version)) throw new Error(`"${version}" is not a version such as 0.4.0 or 0.4.0-dev.`)
  const current = readVersion(root)
  for (const [file, prefixes] of Object.entries(occurrences))
    for (const prefix of prefixes) replaceIn(join(root, file), prefix + current, prefix + version)
  if (!version.endsWith('-dev'))
    replaceIn(join(root, 'CHANGELOG.md'), unreleasedHeading, `${unreleasedHeading}\n## ${version} - ${today}\n`)
}

function replaceIn(file, from, to) {
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} does not contain ${JSON.stringify(from)}.`)
  writeFileSync(
    file,
    text.replace(from, () => to),
  )
}

await runOnPinnedNode(import.meta.url, () => {
  const [version = ''] = process.argv.slice(2)
  setVersion(repositoryRoot, version, new Date().toISOString().slice(0, 10))
})

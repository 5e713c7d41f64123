// The version of Patchbay in `package.json`, and its section of the changelog.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const readVersion = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

/** Returns whether a text is the version of a release, or of the development after one, such as 0.4.0-dev. */
export const isVersion = (text) => /^\d+\.\d+\.\d+(?:-dev)?$/.test(text)

export const unreleasedHeading = '## Unreleased\n'

/** Returns the sections of the changelog, newest first, as `{ heading, text }`. */
export function readChangelog(root) {
  const [, ...sections] = `\n${readFileSync(join(root, 'CHANGELOG.md'), 'utf8')}`.split('\n## ')
  return sections.map((section) => {
    const end = section.indexOf('\n')
    return { heading: section.slice(0, end), text: section.slice(end).trim() }
  })
}

/**
 * Returns the notes of a release: its section of the changelog.
 *
 * @param {string} tag the Git tag, such as v0.3.0
 * @param {string} [repositoryUrl] makes links to files absolute, because notes are not read in the repository
 * @throws {Error} if the tag, `package.json`, and the newest heading of the changelog name different versions
 */
export function readReleaseNotes(root, tag, repositoryUrl) {
  const version = readVersion(root)
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and the version in package.json is ${version}.`)
  const [unreleased, newest] = readChangelog(root)
  if (unreleased?.heading !== 'Unreleased' || unreleased.text !== '')
    throw new Error('CHANGELOG.md does not begin with an empty section "Unreleased".')
  if (!new RegExp(String.raw`^${RegExp.escape(version)} - \d{4}-\d\d-\d\d$`).test(newest?.heading ?? ''))
    throw new Error(`The newest section of CHANGELOG.md is "${newest?.heading}", and not that of ${version}.`)
  if (repositoryUrl === undefined) return newest.text
  return newest.text.replaceAll(/\]\((?![a-z]+:|#)/g, `](${repositoryUrl}/blob/${tag}/`)
}

// `node scripts/release-notes.mjs TAG`: prints the notes of a release. Fails if the tag, package.json, and the changelog
// name different versions.

import { readReleaseNotes } from './release/version.mjs'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

await runOnPinnedNode(import.meta.url, () => {
  const [tag = ''] = process.argv.slice(2)
  // GitHub Actions sets both variables.
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  console.log(readReleaseNotes(repositoryRoot, tag, repository && `${server}/${repository}`))
})

// `node scripts/release-notes.mjs TAG`: prints the notes of a release. Fails if the tag, package.json, and the changelog
// name different versions.
import { repositoryRoot, runOnPinnedNode } from './ensure-node.mjs'
import { readReleaseNotes } from './release/version.mjs'

await runOnPinnedNode(import.meta.url, () => {
  const [tag = ''] = process.argv.slice(2)
  console.log(readReleaseNotes(repositoryRoot, tag))
})

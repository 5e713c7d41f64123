// `npm run release:image`: creates the build context of the container image in `dist/image`, from a release of this
// commit. Every image builder can build it, for amd64 and for arm64 (docs/how-to/run-in-a-container.md).
import { join } from 'node:path'
import { repositoryRoot, runOnPinnedNode } from './ensure-node.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'
import { createRelease } from './release.mjs'
import { createImageContext } from './release/image-context.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  await buildIfNeeded(repositoryRoot)
  const target = join(repositoryRoot, 'dist')
  createRelease(target)
  console.log(`Created ${createImageContext(target)}. Build the image with one of\n`)
  console.log('  docker build --platform linux/amd64 --tag patchbay dist/image')
  console.log('  podman build --platform linux/amd64 --format docker --tag patchbay dist/image')
})

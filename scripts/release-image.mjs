// `npm run release:image`: creates the build context of the container image in `dist/image`, from a release of this
// commit. Every image builder can build it, for amd64 and for arm64 (docs/how-to/run-in-a-container.md).
// `-- --allow-dirty` is that of `npm run release`.
import { join } from 'node:path'
import { createImageContext } from './release/image-context.mjs'
import { createRelease, readReleaseOptions } from './release.mjs'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

await runOnPinnedNode(
  import.meta.url,
  () => {
    const target = join(repositoryRoot, 'dist')
    const release = createRelease(target, readReleaseOptions(process.argv.slice(2)))
    console.log(`Created ${createImageContext(target, release)}. Build the image with one of\n`)
    console.log('  docker build --platform linux/amd64 --tag patchbay dist/image')
    console.log('  podman build --platform linux/amd64 --format docker --tag patchbay dist/image\n')
    console.log(`Buildah and Podman build the same layers from the same base images with --timestamp ${release.time}.`)
  },
  { isExact: true },
)

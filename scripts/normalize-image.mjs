// `node scripts/normalize-image.mjs FOLDER`: makes an image that Buildah has pushed to `dir:FOLDER` the same for the same
// files and configuration. Prints its digest.
import { runOnPinnedNode } from './ensure-node.mjs'
import { normalizeImage } from './release/normalize-image.mjs'

await runOnPinnedNode(
  import.meta.url,
  () => {
    const [folder = ''] = process.argv.slice(2)
    console.log(normalizeImage(folder))
  },
  { isExact: true },
)

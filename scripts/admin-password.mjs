// `npm run admin:password`: installs and builds if something has changed, then sets the password.
import { installAndBuild } from './install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  const args = ['server/dist/admin-password.mjs', ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, process.env, repositoryRoot)
})

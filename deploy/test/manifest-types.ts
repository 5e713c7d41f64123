import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Manifest } from './kustomize.ts'

/**
 * Checks objects of Kubernetes against its API: types, required fields, and names of fields. The declarations of the
 * package `kubernetes-models` come from the API's own description, so the compiler makes this check.
 */

const serviceMonitors = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'

const getModule = ({ apiVersion }: Manifest): string =>
  apiVersion === 'monitoring.coreos.com/v1' ? serviceMonitors : `kubernetes-models/${apiVersion}`

const toDeclaration = (manifest: Manifest, at: number): string =>
  `import type { I${manifest.kind} as Kind${at} } from '${getModule(manifest)}'
export const manifest${at}: Kind${at} = ${JSON.stringify(manifest, null, 2)}
`

/** The compiler finds packages in the folders above its file. */
const cache = 'node_modules/.cache/manifests'

/** Returns the errors of the compiler. Empty if all objects are valid. */
export const checkManifests = async (manifests: readonly Manifest[]): Promise<string> => {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(`${cache}/`)
  const file = join(folder, 'manifests.ts')
  writeFileSync(file, manifests.map(toDeclaration).join('\n'))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext']
  try {
    await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'tsc', ...options, file])
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

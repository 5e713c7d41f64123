import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** Resolves the kustomizations of `deploy/kubernetes`, as `kubectl kustomize` does, with the fields that they use. */

/** An object of the API of Kubernetes. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  spec?: Record<string, any>
  data?: Record<string, string>
}

interface Kustomization {
  apiVersion: string
  kind: string
  resources: string[]
  patches?: { path: string }[]
  labels?: { pairs: Record<string, string> }[]
  images?: { name: string; newName: string; newTag: string }[]
  configMapGenerator?: { name: string; namespace: string; literals: string[] }[]
}

const supportedFields = new Set([
  'apiVersion',
  'kind',
  'resources',
  'patches',
  'labels',
  'images',
  'configMapGenerator',
])

/** The field that identifies the items of a list. Patches replace lists that are not here. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumes: 'name',
  volumeMounts: 'mountPath',
}

type Value = unknown

const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mergeLists = (base: Value[], patch: Value[], key: string): Value[] => {
  const getKey = (item: Value): Value => (isMap(item) ? item[key] : undefined)
  const merged = patch.map((item) => merge(base.find((each) => getKey(each) === getKey(item)) ?? {}, item, ''))
  return [...merged, ...base.filter((item) => !patch.some((each) => getKey(each) === getKey(item)))]
}

/** Applies a strategic merge patch. Null removes a field. */
const merge = (base: Value, patch: Value, name: string): Value => {
  const key = mergeKeys[name]
  if (Array.isArray(base) && Array.isArray(patch) && key !== undefined) return mergeLists(base, patch, key)
  if (!isMap(base) || !isMap(patch)) return patch
  const changes = Object.entries(patch).map(([field, value]) => [field, merge(base[field], value, field)])
  const all = { ...base, ...Object.fromEntries(changes) } as Record<string, Value>
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

const isSame = (one: Manifest, other: Manifest): boolean =>
  one.apiVersion === other.apiVersion && one.kind === other.kind && one.metadata.name === other.metadata.name

const applyPatch = (manifests: Manifest[], patch: Manifest): Manifest[] => {
  if (!manifests.some((each) => isSame(each, patch))) throw new Error(`${patch.kind} ${patch.metadata.name} is missing`)
  return manifests.map((each) => (isSame(each, patch) ? (merge(each, patch, '') as Manifest) : each))
}

const replaceImages = (value: Value, images: NonNullable<Kustomization['images']>): Value => {
  if (Array.isArray(value)) return value.map((item) => replaceImages(item, images))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const image = name === 'image' ? images.find((each) => each.name === child) : undefined
      return [name, image ? `${image.newName}:${image.newTag}` : replaceImages(child, images)]
    }),
  )
}

const addLabels = (manifest: Manifest, labels: Record<string, string>): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, labels: { ...manifest.metadata.labels, ...labels } },
})

const readManifests = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    if (document.errors[0]) throw document.errors[0]
    return document.toJS() as Manifest
  })

const readResource = (path: string): Manifest[] =>
  statSync(path).isDirectory() ? resolveKustomization(path) : readManifests(path)

const generateConfigMap = ({ name, namespace, literals }: NonNullable<Kustomization['configMapGenerator']>[0]) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: Object.fromEntries(literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2))) as Record<string, string>,
})

/**
 * Returns the objects of a kustomization. Names of generated objects have no hash.
 *
 * @throws {Error} if a file is missing, or the kustomization has a field that this function does not support
 */
export const resolveKustomization = (folder: string): Manifest[] => {
  const all = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization
  const unsupported = Object.keys(all).filter((field) => !supportedFields.has(field))
  if (unsupported.length > 0) throw new Error(`${folder}: ${unsupported.join(', ')} is not supported`)
  const resources = all.resources.flatMap((path) => readResource(join(folder, path)))
  const generated = (all.configMapGenerator ?? []).map(generateConfigMap)
  const patches = (all.patches ?? []).flatMap(({ path }) => readManifests(join(folder, path)))
  const patched = patches.reduce(applyPatch, [...resources, ...generated])
  const pairs = Object.assign({}, ...(all.labels ?? []).map((each) => each.pairs)) as Record<string, string>
  const labeled = Object.keys(pairs).length > 0 ? patched.map((each) => addLabels(each, pairs)) : patched
  return replaceImages(labeled, all.images ?? []) as Manifest[]
}

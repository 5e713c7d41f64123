import { basename, dirname, relative, resolve } from 'node:path'
import { isProgram, repositoryRoot } from '../run/ensure-node.mjs'
import { listProductFiles, parseSource, readSource, reportProblems } from './source-files.mjs'

// Checks the direction of imports, dynamic ones included: each folder may import from the folders below it only, and
// no group of modules may import each other in a circle. The diagrams of docs/architecture.md show the same layers.
// A folder that imports another one has no file of the same name, so that a name leads to one file.

/**
 * The layers of a package, from the top to the bottom: folders and files directly below it. Folders of one layer may
 * import each other. `isolated` names a layer whose folders may not: they share code through `shared` only. The folder of a
 * layer can have layers of its own.
 */
export const packages = {
  'console/src': {
    layers: [
      ['main.tsx', 'gallery'],
      // No screen knows these: the client of the API calls them on a server without Patchbay's endpoints.
      ['jambonz'],
      ['app'],
      ['screens'],
      ['sections'],
      ['screen', 'list', 'record', 'form', 'fields', 'feedback', 'lazy'],
      ['routes'],
      ['session', 'api'],
      ['ui', 'zod.ts'],
    ],
    isolated: 'screens',
  },
  'server/src': {
    layers: [
      ['main.ts'],
      ['cli'],
      ['demo'],
      ['app'],
      ['resources', 'http', 'call-data', 'billing', 'auth', 'jobs', 'metrics', 'tracing', 'backup'],
      ['adapters'],
      ['database'],
      ['config'],
      ['lib'],
    ],
    isolated: 'resources',
  },
  'rules/src': {
    layers: [
      ['call-verdict'],
      ['conversations', 'sip'],
      ['alerts', 'calls', 'identity', 'overview', 'phone-number', 'plans', 'routing', 'speech', 'webhooks'],
      ['recordings', 'traces'],
      ['masking', 'networks'],
      ['lib'],
    ],
  },
  // Schemas of one resource use those of another: only cycles are checked.
  'contract/src': {},
  'server/src/call-data': {
    layers: [
      ['clickhouse', 'influxdb', 'retention.ts'],
      ['reviews', 'deletion'],
      ['conversations'],
      ['recordings'],
      ['ingest'],
      ['quotas', 'call-data-sinks.ts'],
      ['reports'],
      ['alerts', 'captures', 'traces'],
      ['masking'],
      ['agent-events', 'logs'],
      ['calls'],
    ],
  },
}

/** Files that many folders have, because they are named after their role: the queries of a folder, the record of a resource. */
const roleNames = ['index.ts', 'list.tsx', 'queries.ts', 'record.ts', 'routes.ts', 'store.ts']

/** The relative modules that a file imports or re-exports, statically or dynamically. Type-only imports count too. */
const listImports = (root, file) => {
  const text = readSource(root, file)
  const { module } = parseSource(file, text)
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...module.dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ]
  return [...new Set(specifiers)]
    .filter((specifier) => specifier.startsWith('.') && /\.(?:tsx?|json)$/.test(specifier))
    .map((specifier) => relative(root, resolve(root, dirname(file), specifier)).replaceAll('\\', '/'))
}

/** Tarjan's algorithm: the strongly connected components with more than one module. */
const findCycles = (modules) => {
  const state = new Map()
  const stack = []
  const cycles = []
  const visit = (file) => {
    const own = { index: state.size, low: state.size, onStack: true }
    state.set(file, own)
    stack.push(file)
    for (const next of modules.get(file) ?? []) {
      if (!modules.has(next)) continue
      if (!state.has(next)) visit(next)
      const other = state.get(next)
      if (other.onStack) own.low = Math.min(own.low, other.low)
    }
    if (own.low !== own.index) return
    const component = stack.splice(stack.indexOf(file))
    for (const member of component) state.get(member).onStack = false
    if (component.length > 1) cycles.push(component)
  }
  for (const file of modules.keys()) if (!state.has(file)) visit(file)
  return cycles
}

/**
 * Finds names that two folders share, one of which imports the other.
 *
 * @param {Map<string, string[]>} modules the imports of each file
 */
const findSharedNames = (modules) => {
  const toFolders = (file, target) => `${dirname(file)} → ${dirname(target)}`
  const getName = (file) => basename(file).replace(/\.\w+$/, '')
  const filesByName = Map.groupBy(modules.keys(), getName)
  const importedFolders = new Set(
    [...modules].flatMap(([file, imports]) => imports.map((target) => toFolders(file, target))),
  )
  return [...modules.keys()]
    .filter((file) => !roleNames.includes(basename(file)))
    .flatMap((file) =>
      (filesByName.get(getName(file)) ?? [])
        .filter((other) => other !== file && importedFolders.has(toFolders(file, other)))
        .map((other) => `${file} has the name of ${other}, whose folder it imports: name it after what it adds`),
    )
}

/**
 * Returns the violations in a source tree, one sentence each.
 *
 * @param {string} root the folder that the names of `packages` are relative to
 */
export const findProblems = (root, layersOfPackages = packages) => {
  const problems = []
  for (const [folder, { layers = [], isolated }] of Object.entries(layersOfPackages)) {
    const modules = new Map(listProductFiles(root, [folder]).map((file) => [file, listImports(root, file)]))
    const locate = (file) => {
      const [part, own = ''] = relative(folder, file).split('/')
      return { part, own, layer: layers.findIndex((layer) => layer.includes(part)) }
    }
    for (const [file, imports] of modules) {
      const from = locate(file)
      if (from.layer === -1 && layers.length > 0)
        problems.push(`${file} is in no layer: add its folder to scripts/checks/layers.mjs`)
      for (const target of imports) {
        const to = locate(target)
        if (from.layer !== -1 && to.layer !== -1 && to.layer < from.layer)
          problems.push(`${file} imports ${target}, which is in a layer above`)
        const areSiblings = from.part === isolated && to.part === isolated && from.own !== to.own
        // A file directly in the folder, such as resources/services.ts, is shared by all its folders. Its index lists them.
        if (areSiblings && from.own !== 'index.ts' && to.own !== 'shared' && !/\.tsx?$/.test(to.own))
          problems.push(`${file} imports ${target}: move what both need to ${isolated}/shared or to a layer below`)
      }
    }
    problems.push(...findSharedNames(modules))
    for (const cycle of findCycles(modules)) problems.push(`${cycle.join(' → ')} is an import cycle`)
  }
  return problems
}

if (isProgram(import.meta.url)) reportProblems(findProblems(repositoryRoot))

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'
import { recordPackages } from '../scripts/release/bundled-packages.mjs'

const compressible = /\.(?:js|css|html|svg|json)$/

/** Compresses files at build time with the highest quality, so that the server only chooses a file. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  closeBundle: async () => {
    const root = join(import.meta.dirname, 'dist')
    const files = await readdir(root, { recursive: true, withFileTypes: true })
    const compressibleFiles = files.filter((file) => file.isFile() && compressible.test(file.name))
    await Promise.all(
      compressibleFiles.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        const content = await readFile(path)
        if (content.length < 1024) return
        const brotli = {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(content, brotli))
        await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
      }),
    )
  },
})

/** Returns a chunk and the chunks that it imports statically. */
const withImports = (bundle: Rolldown.OutputBundle, file: string, loaded = new Set<string>()): Set<string> => {
  const chunk = bundle[file]
  if (chunk?.type !== 'chunk' || chunk.isEntry || loaded.has(file)) return loaded
  loaded.add(file)
  for (const style of chunk.viteMetadata?.importedCss ?? []) loaded.add(style)
  for (const imported of chunk.imports) withImports(bundle, imported, loaded)
  return loaded
}

const preloadTag = (file: string): string => {
  if (file.endsWith('.js')) return `<link rel="modulepreload" crossorigin href="/${file}">`
  const as = file.endsWith('.css') ? 'as="style"' : 'as="font" type="font/woff2"'
  return `<link rel="preload" ${as} crossorigin href="/${file}">`
}

const readSource = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

/** Returns the tokens that the CSS uses. */
const usedTokens = (css: string): string => {
  const tokens = readSource('src/styles/tokens.css')
  const names = new Set([...css.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = '']) => name))
  const rules = [...names].map((name) => `${name}:${new RegExp(`${name}: (.+);`).exec(tokens)?.[1] ?? ''}`)
  const chosen = ['light', 'dark'].map((theme) => `[data-theme=${theme}]{color-scheme:${theme}}`).join('')
  return `:root{color-scheme:light dark;${rules.join(';')}}${chosen}`
}

const smaller = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*([{};,])\s*|\s*\n\s*|(:) /g, '$1$2')
    .trim()

const shapes = '<!-- shapes -->'
const readSkeleton = (page: 'sign-in' | 'internal') => readSource(`skeleton/${page}.html`).trim()

/**
 * Inlines the placeholder of the page with its styles and the chosen theme, so that it is visible before other files have
 * loaded. The content security policy of the server contains the hashes of these styles and this script. The styles of
 * the console follow the placeholder, which does not wait for them.
 */
const skeleton = (): Plugin => ({
  name: 'skeleton',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const css = readSource('skeleton/skeleton.css')
      const script = readSource('skeleton/theme.js')
        .replace(/^\/\/.*\n/, '')
        .trim()
      const inPage = `<script>${script}</script>\n    <style>${smaller(usedTokens(css) + css)}</style>`
      const page = html.replace('</head>', `  ${inPage}\n  </head>`)
      // The development server knows no other page.
      if (!bundle) return page.replace(shapes, readSkeleton('sign-in'))
      const styles = page.match(/<link rel="stylesheet"[^>]*>/g) ?? []
      return styles
        .reduce((rest, style) => rest.replace(style, ''), page)
        .replace('</body>', `  ${styles.join('\n    ')}\n  </body>`)
    },
  },
})

/**
 * Preloads the font, so that text is drawn once. A second page, for addresses that need a session, also preloads the files
 * of the frame, which the first script would request only when it runs.
 */
const preloads = (): Plugin => ({
  name: 'preloads',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('the build has no page')
      const named = (pattern: RegExp) => {
        const file = Object.keys(bundle).find((name) => pattern.test(name))
        if (file === undefined) throw new Error(`the build has no file ${String(pattern)}`)
        return file
      }
      const frame = Object.values(bundle).find(
        (chunk) => chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith('/app/authenticated-chunk.ts'),
      )
      if (frame === undefined) throw new Error('the build has no chunk of the frame')
      const html = String(page.source)
      const withTags = (files: Iterable<string>) =>
        html.replace('</head>', `  ${[...files].map(preloadTag).join('\n    ')}\n  </head>`)
      const text = named(/inter-latin-wght/)
      page.source = withTags([text]).replace(shapes, readSkeleton('sign-in'))
      const ofFrame = withImports(bundle, frame.fileName)
      const all = withTags([text, named(/jetbrains-mono-latin-wght/), ...ofFrame])
      const source = all.replace(shapes, readSkeleton('internal'))
      this.emitFile({ type: 'asset', fileName: 'internal.html', source })
    },
  },
})

const none = `() => { throw new Error('infinite query') }`

/**
 * Leaves out library code that the console does not use: infinite queries (all lists have pages, so such a query
 * throws), and the shim of a hook that React has had since version 18.
 */
const withoutUnused = (): Plugin => ({
  name: 'without-unused',
  apply: 'build',
  load: {
    filter: { id: /(?:query-core[\\/].*[\\/]infiniteQueryBehavior|use-sync-external-store-shim\.production)\.js$/ },
    handler: (id) =>
      id.includes('query-core')
        ? `const none = ${none}
export { none as hasNextPage, none as hasPreviousPage, none as infiniteQueryBehavior }`
        : `exports.useSyncExternalStore = require('react').useSyncExternalStore`,
  },
})

/** The modules of icons: below this folder, by the names that the library exports them with. */
const iconFolder = join(import.meta.dirname, '../node_modules/lucide-react/dist/esm')
const iconModules = (): Map<string, string> => {
  const library = readFileSync(join(iconFolder, 'lucide-react.mjs'), 'utf8')
  const exported = library.matchAll(/export \{([^}]+)\} from '(\.\/icons\/[\w-]+\.mjs)'/g)
  return new Map(
    [...exported].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']): [string, string] => [name, join(iconFolder, file)]),
    ),
  )
}

/**
 * Imports each icon from its own module. Through the barrel file, every screen would seem to import every icon, and
 * icons that two forms share would be in the chunk of the lists.
 */
const directIconImports = (): Plugin => {
  const modules = iconModules()
  const directImport = (name: string): string => {
    const file = modules.get(name)
    return file === undefined ? `import { ${name} } from 'lucide-react'` : `import ${name} from ${JSON.stringify(file)}`
  }
  return {
    name: 'direct-icon-imports',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /[\\/]console[\\/]src[\\/].*\.tsx?$/, code: "from 'lucide-react'" },
      handler: (code) => ({
        code: code.replaceAll(/import \{([^}]+)\} from 'lucide-react'/g, (_, names: string) =>
          names
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean)
            .map(directImport)
            .join(';'),
        ),
        map: null,
      }),
    },
  }
}

/** Creates an icon from the names and attributes of its shapes. */
const createIcon = `import { createElement } from 'react'
const line = { viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' }
export default (shapes) => ({ size = 24, ...rest }) =>
  createElement('svg', { width: size, height: size, ...line, 'aria-hidden': !rest['aria-label'], ...rest }, ...shapes.map(([tag, shape]) => createElement(tag, shape)))`

/**
 * Reduces icons to their shapes. The library also gives them names, aliases, and a context with defaults, and computes
 * all of that for every icon that is rendered. The React keys of the shapes are random texts, which do not compress.
 */
const plainIcons = (): Plugin => ({
  name: 'plain-icons',
  apply: 'build',
  load: { filter: { id: /[\\/]lucide-react[\\/].*[\\/]createLucideIcon\.mjs$/ }, handler: () => createIcon },
  transform: {
    filter: { id: /[\\/]lucide-react[\\/].*[\\/]icons[\\/][\w-]+\.mjs$/ },
    handler: (code, id) => {
      // A module without shapes exports an icon by a former name.
      if (!code.includes('createLucideIcon(')) return undefined
      const [, node] = /\bnode: (\[.*?\])(?:,\n {2}aliases: .*?)?\n\};/s.exec(code) ?? []
      if (node === undefined) throw new Error(`the icon ${id} has no shapes`)
      const withoutKeys = node.replaceAll(/,\s*key: "\w+"/g, '')
      return {
        code: `import createIcon from '../createLucideIcon.mjs'\nexport default /* @__PURE__ */ createIcon(${withoutKeys})`,
        map: null,
      }
    },
  },
})

/**
 * Turns CommonJS packages that only lazy chunks use into ECMAScript modules. The bundler would do so with helpers in a
 * chunk of their own, which every page would have to load.
 */
const asEsModules = (): Plugin => ({
  name: 'as-es-modules',
  apply: 'build',
  transform: {
    filter: { id: /[\\/]node_modules[\\/](?:ipaddr\.js|papaparse)[\\/]/ },
    handler: (code) => ({
      code: `const module = { exports: {} };
((module, exports) => {${code}
})(module, module.exports)
export default module.exports`,
      map: null,
    }),
  },
})

/** The modules of packages that are bundled before the rest. */
const bundledBefore = new Set<string>()

/**
 * Bundles JsSIP, which consists of many CommonJS modules, before the rest, for the same reason: its helpers are in the
 * chunk that contains it.
 */
const bundleJsSip = (): Plugin => ({
  name: 'bundle-jssip',
  apply: 'build',
  load: {
    filter: { id: /[\\/]node_modules[\\/]jssip[\\/]lib[\\/]JsSIP\.js$/ },
    handler: async (entry) => {
      const lib = { entry, formats: ['es' as const] }
      const results = await build({ configFile: false, logLevel: 'warn', build: { write: false, minify: false, lib } })
      const [chunk] = [results].flat().flatMap((result) => ('output' in result ? result.output : []))
      if (chunk?.type !== 'chunk') throw new Error('the bundle of JsSIP has no chunk')
      for (const module of chunk.moduleIds) bundledBefore.add(module)
      // The exports of CommonJS are members of the only export.
      const code = chunk.code.replace(/^export default (.+);$/m, 'export const { UA, WebSocketInterface } = $1;')
      return { code, map: null }
    },
  },
})

/**
 * Names a class of a CSS module after the class and a hash of the module. The default adds the line number, which makes
 * the scripts larger.
 */
const scopedClassName = (name: string, file: string): string => {
  const module = relative(import.meta.dirname, file).replaceAll('\\', '/')
  return `${name}_${createHash('sha256').update(module).digest('base64url').slice(0, 4)}`
}

/** A library module that only forms use. A barrel file hides its importers. */
const ofForms = /[\\/]useBlocker\.js$/

/** Library modules that neither the frame nor the lists use. A barrel file hides their importers. */
const ofLaterQueries = /[\\/](?:queriesObserver|useQueries|useMutationState)\.js$/

/** Returns the dynamically imported modules that import this one statically, including itself. */
const findRoots = (id: string, graph: Rolldown.ChunkingContext, seen = new Set<string>()): string[] => {
  if (seen.has(id)) return []
  seen.add(id)
  const info = graph.getModuleInfo(id)
  const above = info?.importers.flatMap((importer) => findRoots(importer, graph, seen)) ?? []
  return info?.dynamicImporters.length ? [id, ...above] : above
}

/** The chunks of modules that several screens use: of the frame and the lists, one list, dialogs of lists, or forms. */
const sharedBy = (id: string, graph: Rolldown.ChunkingContext): string | null => {
  // Dynamically imported modules are chunks of their own.
  if (graph.getModuleInfo(id)?.dynamicImporters.length) return null
  // Only the forms and the import of phone numbers need these.
  if (/[\\/]phone-number[\\/](?:pattern-examples|patterns)\.ts$/.test(id)) return 'number-patterns'
  // The import leaves the reading to the server.
  if (/[\\/]phone-number[\\/](?:read-number|several-numbers|spreadsheet-values|trunk-prefixes)\.ts$/.test(id))
    return 'number-reader'
  // Only the forms of accounts need these.
  if (/[\\/]recordings[\\/]storage-tags\.ts$/.test(id)) return 'storage-tags'
  // Two modules that load after a page share the numbering plans.
  if (/[\\/]libphonenumber-js[\\/]/.test(id)) return null
  if (ofForms.test(id)) return 'forms'
  // The button in forms, and in dialogs of lists, which do not load the forms.
  if (/[\\/]copy-request[\\/]copy-request\.tsx$/.test(id)) return 'dialogs'
  const roots = findRoots(id, graph)
  const lists = roots.filter((root) => /[\\/]screens[\\/].+[\\/]list\.tsx$/.test(root))
  const [only] = lists
  if (roots.some((root) => /[\\/]app[\\/]authenticated-chunk\.ts$/.test(root)) || lists.length > 1) return 'internal'
  if (only !== undefined) return /[\\/]screens[\\/]([\w-]+)/.exec(only)?.[1] ?? 'internal'
  return roots.some((root) => /[\\/]delete-[\w-]+\.tsx$/.test(root)) ? 'dialogs' : 'forms'
}

/** Modules outside of `screens` that the screens of a single resource use, and the chunk that they belong to. */
const ofOneResource: readonly [RegExp, string][] = [
  // Lists and forms show only the button of a menu until someone presses it.
  [/[\\/]ui[\\/]overlay[\\/](?:copy-)?menu\./, 'menu'],
  // Lists that show vendors need their names only.
  [/[\\/]speech[\\/]names\.ts$/, 'speech-names'],
  [/[\\/](?:routing|shared)[\\/]gateways\.ts$/, 'carriers-form'],
  [/[\\/]form[\\/]form-table\.module\.css$/, 'carriers-form'],
  [/[\\/]webhooks[\\/]app-env\.ts$/, 'applications-form'],
  [/[\\/]lucide-react[\\/].*[\\/]upload\.mjs$/, 'phone-numbers'],
  // The import and the assignment of numbers do not need the form.
  [/[\\/]screens[\\/]phone-numbers[\\/]form[\\/](?:size-batches\.ts|bulk\.module\.css)$/, 'phone-numbers-bulk'],
  // Tables, and charts of days and lines, which the overview does not have.
  [/[\\/]ui[\\/](?:figure-table\.|chart[\\/](?:day-|draw-lines|line-))/, 'statistics'],
  // The overview and the screens with statistics need them, and no form does.
  [/[\\/]ui[\\/](?:block\.|figures\.|chart[\\/])/, 'figures'],
  [/[\\/]lucide-react[\\/].*[\\/](?:key-round|user-round)\.mjs$/, 'users'],
  // The form of carriers does not need them until someone opens the tab, and that of routings until someone tries a number.
  [/[\\/]sections[\\/]carrier-health[\\/]/, 'carriers-health'],
  // Only new carriers need them. The list of carriers and the form of a stored carrier do not.
  [/[\\/]screens[\\/]carriers[\\/](?:form[\\/]use-create-carrier\.ts|guided[\\/].*)$/, 'carriers-new'],
  [/[\\/]screens[\\/]carriers[\\/]predefined-section\.tsx$/, 'carriers-predefined'],
  [/[\\/]screens[\\/]carriers[\\/]connection-check[\\/]/, 'carriers-connection-check'],
  // The queries of new alerts. Calls show the names of their alerts, and do not need them.
  [/[\\/]sections[\\/]new-alerts\.ts$/, 'alert-badge'],
  // The list of alerts does not need them until someone groups it or opens an alert.
  [
    /[\\/](?:screens[\\/]alerts[\\/]groups[\\/]|shared[\\/]alert-objects\.ts$|alerts[\\/]alert-objects\.ts$)/,
    'alert-groups',
  ],
  // The list of accounts does not need them until someone deletes an account.
  [/[\\/]screens[\\/]accounts[\\/](?:blockers|contents|contents-link|deletion-blockers)\.tsx?$/, 'account-blockers'],
  // The calls in progress, for the dialogs that deactivate and delete an account or a service provider.
  [/[\\/]sections[\\/]live-calls[\\/]running-calls\.tsx$/, 'running-calls'],
  [/[\\/]sections[\\/]delete-with-contents[\\/]/, 'delete-with-contents'],
  // The list of carriers does not need them until someone deletes a carrier.
  [/[\\/]screens[\\/]carriers[\\/](?:dependents|used-by)\.tsx?$/, 'carriers-used-by'],
  // The list of applications does not need them until someone deletes an application.
  [/[\\/]screens[\\/]applications[\\/](?:dependents|used-by)\.tsx?$/, 'applications-used-by'],
  // The list of calls names the parties of each call, and does not need its legs.
  [/[\\/]calls[\\/]call-parties\.ts$/, 'recent-calls'],
  // The dialogs that create links to a call, the files of its report, and the pages that the links open.
  [/[\\/]screens[\\/]recent-calls[\\/]share[\\/](?:link-parts\.tsx|share\.module\.css)$/, 'call-links'],
  [/[\\/]screens[\\/]recent-calls[\\/]report[\\/]download/, 'call-report-files'],
  [/[\\/](?:sections[\\/]call-shares[\\/]masking-labels|shared[\\/]call-report-choices)\.ts$/, 'call-report-masking'],
  [/[\\/]screens[\\/]recent-calls[\\/]shared-call[\\/](?:link-page|shared-call\.module)\b/, 'link-pages'],
  [/[\\/]screens[\\/]recent-calls[\\/]shared-call[\\/]invalid-link\.tsx$/, 'invalid-link'],
  // The list of calls does not need them until someone opens a call.
  [/[\\/]screens[\\/]recent-calls[\\/]call-detail-queries\.ts$/, 'call-legs'],
  [/[\\/]calls[\\/]call-legs\.ts$/, 'call-legs'],
  // The parts of an open call that load on demand need them.
  // The player needs the query of the conversation, but not its screen.
  [/[\\/]screens[\\/]recent-calls[\\/]conversation[\\/](?:conversation-query|file-start)\.ts$/, 'call-legs'],
  // The conversation and the player of a call, and of a shared call.
  [/[\\/]screens[\\/]recent-calls[\\/]conversation[\\/]/, 'call-conversation'],
  [/[\\/]conversations[\\/](?:busy-ranges|response-gap)\.ts$/, 'call-conversation'],
  [/[\\/]lucide-react[\\/].*[\\/](?:forward|grid-3x3|mic-off|wrench)\.mjs$/, 'call-conversation'],
  [/[\\/]screens[\\/]recent-calls[\\/]recording[\\/](?!player-link)/, 'call-player'],
  [/[\\/]lucide-react[\\/].*[\\/](?:pause|play|rotate-c?cw)\.mjs$/, 'call-player'],
  // Visitors with a link to a call do not need the forms of the screens that share these routes.
  [/[\\/](?:routes[\\/](?:register|sip-realm|subscription)|plans[\\/]payment-screens)\.ts$/, 'hosted-routes'],
  [/[\\/]screens[\\/]recent-calls[\\/](?:trace|recording)[\\/]/, 'call-parts'],
  [/[\\/]lucide-react[\\/].*[\\/]hourglass\.mjs$/, 'call-parts'],
  // The lists of calls and of phone numbers search for numbers. Other lists and the tabs of a call do not.
  [/[\\/](?:phone-number[\\/]searched-number|api[\\/]search-number)\.ts$/, 'list-search'],
  // The filters and the chosen columns of the list of calls.
  [/[\\/](?:recent-calls[\\/]call-filters|list[\\/]views[\\/](?:list-settings|stored-columns))\.ts$/, 'calls-list'],
  // The list of calls does not need them until someone opens its filters, or follows a link with some.
  [/[\\/]screens[\\/]recent-calls[\\/]duration-filters\.ts$/, 'call-filters'],
]

/** The resource whose screens share a module. */
const ofScreens = (id: string): string | null =>
  ofOneResource.find(([modules]) => modules.test(id))?.[1] ??
  /[\\/]screens[\\/]([\w-]+(?:[\\/]form(?=[\\/]))?)[\\/]/.exec(id)?.[1]?.replace(/\W/, '-') ??
  null

/**
 * Divides the console into few chunks: what every page starts with, what all internal screens share, what only forms or
 * dialogs use, and what the screens of one resource share, with a chunk for its forms (`form/`). A screen, and each module
 * that is loaded by name, has a chunk of its own. The choice of a password is shared with a screen before the others.
 */
const chunks: Rolldown.CodeSplittingGroup[] = [
  { name: 'core', tags: ['$initial'], priority: 4 },
  {
    name: ofScreens,
    minShareCount: 2,
    priority: 3,
  },
  {
    name: 'passwords',
    test: /[\\/](?:new-password-field|use-password-policy|identity[\\/]passwords|use-form-submit|password-field)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // The registration of a SIP user, which other forms do not have.
  { name: 'sip-registration', test: /[\\/]sections[\\/]sip-registration\b/, minShareCount: 2, priority: 3 },
  // Only the filters of calls and the test of inbound routing suggest numbers.
  {
    name: 'suggestions',
    test: /[\\/]fields[\\/](?:number|suggested)-field\b/,
    minShareCount: 2,
    priority: 4,
  },
  // Lists of fields, which two forms of settings have.
  { name: 'row-fields', test: /[\\/]form[\\/]row-fields\b/, minShareCount: 2, priority: 3 },
  {
    // Parts of a few forms that the others need not load.
    name: 'form-parts',
    test: /[\\/](?:form[\\/]form-dialog|sections[\\/]no-sip-addresses)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Subdomains of accounts, sign-in with other providers, and prices. Only a few screens of hosted installations need them.
    name: 'hosted-parts',
    test: /[\\/](?:fields[\\/]subdomain[\\/]|sections[\\/]oauth[\\/]|identity[\\/]subdomains\b|plans[\\/]pricing\b)/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Filtering, sorting, and paging in the browser. Lists of call data leave this to the server.
    name: 'client-list',
    test: /[\\/]list[\\/](?:use-client-list|sort-rows)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Paging and filtering by the server. Lists of few records do both in the browser, and forms have neither.
    name: 'server-list',
    test: /[\\/]list[\\/]use-server-list\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Lists and forms without phone numbers do not format any.
    name: 'phone-format',
    test: /[\\/](?:phone-number[\\/]format|ui[\\/]format[\\/]phone-number(?:-format)?)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // The buttons and dialogs of lists of records. Lists of call data have none.
    name: 'record-lists',
    test: /[\\/](?:list[\\/](?:record-list|link-to-record)|record[\\/]use-accounts-in-scope)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // The fields of each vendor. Only the forms of speech services and applications need them.
    name: 'speech-vendors',
    test: /[\\/](?:contract|rules)[\\/]src[\\/]speech[\\/](?!names)/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Keys, limits and caches: of accounts and settings alone.
    name: 'owners-parts',
    test: /[\\/]sections[\\/](?:api-keys[\\/]api-keys|limits[\\/]|tts-cache)/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // The table of API keys. Its dialogs load on demand.
    name: 'api-key-table',
    test: /[\\/]sections[\\/]api-keys[\\/](?:delete-key|key-columns|key-label|use-key-actions)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Reading and ending calls: of the list of live calls, and of the dialog that deactivates an account.
    name: 'live-calls-parts',
    test: /[\\/]sections[\\/]live-calls[\\/]/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // The fields of the dialogs that create, rotate, and rename an API key.
    name: 'api-key-fields',
    test: /[\\/]sections[\\/]api-keys[\\/]key-(?:expiry|name-field)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Date filters, and the account by name. Only the lists of calls and alerts need them.
    name: 'happened',
    test: /[\\/]list[\\/](?:date-filter|date-preset-range|named-account-column)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // The direction of a call, and its icons. The form of carriers needs no more of the lists of calls.
  {
    name: 'call-direction',
    test: /[\\/](?:phone-(?:incoming|outgoing)|sections[\\/]call-direction)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // The last change of a record. Its whole history, and the audit trail, load on demand.
    name: 'last-change',
    test: /[\\/]record[\\/]audit[\\/](?:last-change|actor-text)\b/,
    minShareCount: 2,
    priority: 4,
  },
  // The nouns of records, which only screens with counts of records need.
  { name: 'record-counts', test: /[\\/]record[\\/]record-counts\b/, minShareCount: 2, priority: 4 },
  {
    // Deletion of records that no other record refers to, and columns that only lists of such records have.
    name: 'delete-dialog',
    test: /[\\/](?:record[\\/]delete-dialog|list[\\/]columns)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // Traces of calls, and the regions of their recordings, which load later.
  { name: 'traces', test: /[\\/]traces[\\/]trace(?:s|-waits)\b/, priority: 3 },
  { name: 'recording-regions', test: /[\\/]recordings[\\/]regions\b/, minShareCount: 2, priority: 3 },
  // Recordings and transcripts. The parts of an open call that load on demand need them.
  { name: 'call-parts', test: /[\\/]recordings[\\/](?:recordings|transcript)\b/, minShareCount: 2, priority: 3 },
  // The legs of a call and their captures, which both its verdict and the SIP ladder need.
  {
    name: 'call-legs',
    test: /[\\/](?:sections[\\/]sip[\\/](?:queries|block-contacts)|sip[\\/]captured-legs)\b/,
    minShareCount: 2,
    priority: 4,
  },
  // Base UI, which only fields with a search need.
  {
    name: 'search-select',
    test: /[\\/]node_modules[\\/](?:@base-ui|@floating-ui|reselect)[\\/]|[\\/]fields[\\/]search-(?:select\.module|popup)/,
    minShareCount: 2,
    priority: 4,
  },
  { name: 'groups', test: /[\\/]lib[\\/]groups\b/, minShareCount: 2, priority: 3 },
  // Requests as code. Lists and forms load them when someone copies one.
  {
    name: 'request-code',
    test: /[\\/]ui[\\/]request-code[\\/]/,
    minShareCount: 2,
    priority: 3,
  },
  { name: 'details', test: /[\\/]record[\\/]record-(?:details|fields)\b/, minShareCount: 2, priority: 3 },
  // Links to shared calls: of one call, and of an account.
  { name: 'call-shares', test: /[\\/]sections[\\/]call-shares[\\/]/, minShareCount: 2, priority: 3 },
  // Parts of a few forms and screens that the others need not load.
  { name: 'file-picker', test: /[\\/]form[\\/]file-picker\b/, minShareCount: 2, priority: 3 },
  // The palette and the phone look up a call by its Call-ID.
  { name: 'call-by-id', test: /[\\/]api[\\/]call-by-id\b/, minShareCount: 2, priority: 3 },
  { name: 'binary', test: /[\\/]api[\\/](?:fetch-binary|audio)\b/, minShareCount: 2, priority: 3 },
  {
    name: 'number-batches',
    test: /[\\/](?:api[\\/]batches|phone-number[\\/]csv)\b/,
    minShareCount: 2,
    priority: 3,
  },
  { name: 'call-quality', test: /[\\/]calls[\\/]call-quality\b/, minShareCount: 2, priority: 3 },
  {
    name: 'sip-words',
    test: /[\\/]rules[\\/]src[\\/]sip[\\/](?:parser|scan|message-head)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // Ranges of addresses: of findings about captured SIP, and of the masking of reports.
  {
    name: 'sip-addresses',
    test: /[\\/]rules[\\/]src[\\/](?:sip[\\/]addresses|networks[\\/]ip-address)\b|[\\/]ipaddr\.js[\\/]/,
    minShareCount: 2,
    priority: 3,
  },
  // The meanings of statuses, which the overview and the call quality need without captured SIP.
  {
    name: 'sip-statuses',
    test: /[\\/]rules[\\/]src[\\/]sip[\\/](?:statuses|destination-advice)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // The judgment of a call by its record, which the rules for captured SIP refine later.
  {
    name: 'call-verdict',
    test: /[\\/]rules[\\/]src[\\/]call-verdict[\\/](?:evidence|record-rules)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    name: 'sip-refusals',
    test: /[\\/]rules[\\/]src[\\/]sip[\\/](?:causes|reasons|refusal|refused-call|network-block|rate-limit|redirects|warnings|platform-reasons)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Captured SIP of calls and of carriers' registrations. Loads on demand.
    name: 'sip-ladder',
    test: /[\\/]sections[\\/]sip[\\/]|[\\/]rules[\\/]src[\\/]sip[\\/](?:causal-order|captured-packets|packet-copies|transactions|line-diff|ladder|legs|sdp|codecs|findings)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // Shared by call details and captured SIP.
  {
    name: 'text-filter',
    test: /[\\/]ui[\\/]table[\\/](?:text-filter|use-virtual-rows)\b/,
    minShareCount: 2,
    priority: 3,
  },
  // The selection of rows, without what changes them: that loads when rows are selected.
  {
    name: 'selection',
    test: /[\\/]list[\\/]bulk[\\/](?:select-(?:box|column)|current-change)\b/,
    minShareCount: 2,
    priority: 3,
  },
  { name: 'bulk', test: /[\\/]list[\\/]bulk[\\/]use-bulk\./, minShareCount: 2, priority: 3 },
  {
    name: 'bulk-controls',
    test: /[\\/](?:record[\\/]linked-record|list[\\/]bulk[\\/](?:bulk-|delete-selected|edit-selected\.lazy|outcome|listed|selection|undo|use-(?:bulk-change|dry-run)))/,
    priority: 3,
  },
  // The fields of several records, which have the modules of forms.
  { name: 'bulk-edit', test: /[\\/]list[\\/]bulk[\\/](?:describe-effect|edit-|review-)/, priority: 3 },
  { name: 'dtmf', test: /[\\/]record[\\/]dtmf-options\b/, minShareCount: 2, priority: 3 },
  // The audit trail and the outcome of bulk changes link to records.
  { name: 'record-target', test: /[\\/]record[\\/]record-target\b/, minShareCount: 2, priority: 3 },
  { name: 'progress-line', test: /[\\/]ui[\\/]progress-line\b/, minShareCount: 2, priority: 3 },
  {
    name: 'routing',
    test: /[\\/](?:routing[\\/]outbound|ui[\\/]table[\\/]use-reorder)\b/,
    minShareCount: 2,
    priority: 3,
  },
  {
    // Includes what only the frame uses: one file compresses better than two that load together.
    name: (id, graph) => (!ofLaterQueries.test(id) && sharedBy(id, graph) === 'internal' ? 'internal' : null),
    priority: 2,
  },
  { name: sharedBy, minShareCount: 2, priority: 1 },
]

/** Names of files contain a part of their hash, which cannot be compressed: 42 bits instead of the usual 48. */
const hashedName = (extension: string): string => `assets/[name]-[hash:7]${extension}`

export default defineConfig({
  plugins: [
    withoutUnused(),
    directIconImports(),
    plainIcons(),
    asEsModules(),
    bundleJsSip(),
    react(),
    skeleton(),
    preloads(),
    precompress(),
    recordPackages('console', bundledBefore),
  ],
  build: {
    target: 'es2023',
    // The size gate reads from the manifest which files a screen loads.
    manifest: true,
    assetsInlineLimit: 0,
    // Preloading the dependencies of all screens costs more than it gains, because the next screens are prefetched.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: chunks },
        entryFileNames: hashedName('.js'),
        chunkFileNames: hashedName('.js'),
        assetFileNames: hashedName('[extname]'),
      },
    },
  },
  css: { modules: { generateScopedName: scopedClassName } },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/config.json': 'http://127.0.0.1:3000' } },
})

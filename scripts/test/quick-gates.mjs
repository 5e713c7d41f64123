// `npm test -- --quick`: plans what the current change can break, in three minutes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolders } from '../checks/types.mjs'
import { productPackages } from '../run/product-packages.mjs'
import { readGit } from '../run/read-git.mjs'
import { filterFiles, listTestFiles, toFileSteps } from './select-test-files.mjs'

/** The browser test that goes through the product, from the first sign-in to a received call. */
const pathThroughProduct = 'e2e/first-call.e2e.ts'

const isProduct = new RegExp(`^(?:${productPackages.join('|')})/(?:src|index|public)`)

/** Folders and files that stand for a resource, with its name as the first group. */
const resourcePatterns = [
  /^server\/src\/(?:resources|call-data)\/([\w-]+)/,
  /^console\/src\/(?:screens|routes)\/([\w-]+)/,
  /^(?:contract|rules)\/src\/([\w-]+)/,
]

/** Names of folders that are shared by many resources. */
const sharedNames = new Set(['shared', 'services', 'contract', 'api', 'lib'])

/** Returns the steps for the files that differ from the branch that the change is for. */
export function planQuickSteps(root) {
  const base = findBase(root)
  return planSteps(listChanges(root, base), base, listTestFiles(root))
}

/**
 * Returns the steps for changed files.
 *
 * @param {string[]} changed paths relative to the root
 * @param {string} base the commit that the change is compared with
 * @param {Map<string, string[]>} filesByKind all test files
 */
export function planSteps(changed, base, filesByKind) {
  const types = packageFolders.filter((folder) => changed.some((path) => isCheckedWith(folder, path)))
  return [
    [{ gate: 'install' }],
    [
      { gate: 'format', tool: ['biome', 'check', '.'] },
      { gate: 'syntax', tool: ['oxlint', '--deny-warnings'] },
      { gate: 'language', script: 'lint:rules' },
      ...(types.length > 0 ? [{ gate: 'types', tool: ['scripts/checks/types.mjs', ...types] }] : []),
    ],
    [{ gate: 'rules', project: 'rules', args: ['--changed', base, '--passWithNoTests'] }],
    ...toFileSteps(selectChanged(changed, filesByKind)),
  ]
}

/** The console is checked with the contract and the rules. The other packages import the server, and are checked by `npm test`. */
const isCheckedWith = (folder, path) => {
  const packages =
    folder === '.' ? 'contract|rules|server|testkit|deploy' : folder === 'console' ? 'contract|rules|console' : folder
  return new RegExp(`^(?:${packages})/.*\\.tsx?$`).test(path)
}

/** Returns the changed tests, those of changed resources, and the path through a changed product. */
function selectChanged(changed, filesByKind) {
  const names = changed.flatMap(findResource)
  const hasProduct = changed.some((path) => isProduct.test(path))
  const isOfResource = (path) => names.some((name) => isNamedAfter(path, name))
  const isWanted = {
    sqlite: isOfResource,
    mariadb: () => false,
    built: () => false,
    e2e: (path) => isOfResource(path) || (hasProduct && path === pathThroughProduct),
  }
  return filterFiles(filesByKind, (path, kind) => kind in isWanted && (changed.includes(path) || isWanted[kind](path)))
}

const findResource = (path) =>
  resourcePatterns.flatMap((pattern) => {
    const name = pattern.exec(path)?.[1]
    return name === undefined || sharedNames.has(name) ? [] : [name]
  })

/** Returns whether a test is named after a resource. The API and the console can use a longer or a shorter name. */
function isNamedAfter(path, resource) {
  const name = /([\w-]+)\.(?:test|e2e)\.ts$/.exec(path)?.[1] ?? ''
  return name === resource || resource.endsWith(`-${name}`) || name.startsWith(`${resource}-`)
}

/** Returns the commit where the branch of the change began, or the last commit of the main branch itself. */
function findBase(root) {
  for (const branch of ['@{upstream}', 'origin/main', 'main']) {
    const base = readGit(root, 'merge-base', 'HEAD', branch)
    if (base !== undefined && base !== readGit(root, 'rev-parse', 'HEAD')) return base
  }
  const isClean = readGit(root, 'status', '--porcelain') === ''
  return readGit(root, 'rev-parse', isClean ? 'HEAD~1' : 'HEAD') ?? 'HEAD'
}

function listChanges(root, base) {
  const lines = (text = '') => text.split('\n').filter(Boolean)
  const changed = lines(readGit(root, 'diff', '--name-only', base))
  const added = lines(readGit(root, 'ls-files', '--others', '--exclude-standard'))
  return [...new Set([...changed, ...added])].filter((path) => existsSync(join(root, path)))
}

// `npm run regexps`: fails if a regular expression of the product can take super-linear time (ReDoS).
//
// Checks every literal and every `new RegExp(…)` with a pattern that is known at build time, using recheck. A comment
// on the same line or the line before exempts an expression, and says why it is harmless:
//   // unchecked-regexp: runs on at most 64 characters
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Visitor } from 'oxc-parser'
// The browser build is plain JavaScript and needs no native program.
import recheck from 'recheck/lib/browser.js'
import recheckPackage from 'recheck/package.json' with { type: 'json' }
import { repositoryRoot, runOnPinnedNode } from '../run/ensure-node.mjs'
import { productFolders } from '../run/product-packages.mjs'
import { getLine, listProductFiles, parseSource, readSource } from './source-files.mjs'

const exemption = /\/\/ unchecked-regexp: (.+)$/
const minReasonLength = 10

/** Returns the string value of an expression, or undefined if it is not known at build time. */
function evaluateConstant(node, constants) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'Identifier') return evaluateConstant(constants.get(node.name), constants)
  if (node?.type === 'BinaryExpression' && node.operator === '+') return joined([node.left, node.right], constants)
  const isRaw =
    node?.type === 'TaggedTemplateExpression' && node.tag.object?.name === 'String' && node.tag.property?.name === 'raw'
  const template = isRaw ? node.quasi : node
  if (template?.type !== 'TemplateLiteral') return undefined
  const parts = template.quasis.flatMap(({ value }, at) => {
    const text = { type: 'Literal', value: isRaw ? value.raw : value.cooked }
    return at < template.expressions.length ? [text, template.expressions[at]] : [text]
  })
  return joined(parts, constants)
}

function joined(nodes, constants) {
  const values = nodes.map((node) => evaluateConstant(node, constants))
  return values.includes(undefined) ? undefined : values.join('')
}

/** Returns the regular expressions of a file: pattern, flags, and line. The pattern is undefined if it is computed. */
export function expressionsIn(file, text) {
  const { program: root } = parseSource(file, text)
  const constants = new Map()
  const expressions = []
  const lines = text.split('\n')
  const add = (node, pattern, flags) => {
    const line = getLine(text, node.start)
    const reason = [lines[line - 1], lines[line - 2]].map((one) => exemption.exec(one ?? '')?.[1]).find(Boolean)
    expressions.push({ file, line, pattern, flags: flags ?? '', isExempt: (reason?.length ?? 0) >= minReasonLength })
  }
  const constructed = (node) => {
    if (node.callee.name !== 'RegExp') return
    const [pattern, flags] = node.arguments
    add(node, evaluateConstant(pattern, constants), flags === undefined ? '' : evaluateConstant(flags, constants))
  }
  new Visitor({
    VariableDeclaration({ kind, declarations }) {
      if (kind !== 'const') return
      for (const { id, init } of declarations) if (id.type === 'Identifier' && init) constants.set(id.name, init)
    },
  }).visit(root)
  new Visitor({
    Literal(node) {
      if (node.regex) add(node, node.regex.pattern, node.regex.flags)
    },
    NewExpression: constructed,
    CallExpression: constructed,
  }).visit(root)
  return expressions
}

/**
 * Limits the work by counts of steps only, which are the defaults. A limit of time for a step would make the verdict
 * depend on the load of the machine.
 */
const limits = { timeout: 300_000, seedingTimeout: null, incubationTimeout: null, attackTimeout: null }

/** Returns why a regular expression is rejected, or undefined if it takes linear time. */
export function checkRegexp({ pattern, flags }) {
  if (pattern === undefined) return 'its pattern is computed and cannot be checked'
  const { status, complexity, error } = recheck.checkSync(pattern, flags, limits)
  if (status === 'safe') return undefined
  if (status === 'unknown') return `it could not be checked (${error.kind})`
  const degree = complexity.type === 'polynomial' ? ` of degree ${complexity.degree}` : ''
  return `its time is ${complexity.type}${degree} in the length of the input`
}

/**
 * Returns a message for each regular expression that is neither linear nor exempt.
 *
 * @param {Map<string, string>} [verdicts] of earlier checks with the same limits, to which new ones are added
 */
export function checkRegExps(expressions, verdicts = new Map()) {
  return expressions
    .filter(({ isExempt }) => !isExempt)
    .flatMap(({ file, line, pattern, flags }) => {
      const key = `/${pattern}/${flags}`
      if (!verdicts.has(key)) verdicts.set(key, checkRegexp({ pattern, flags }) ?? '')
      const fault = verdicts.get(key)
      return fault === '' ? [] : [`${file}:${line} ${pattern === undefined ? 'RegExp' : key}: ${fault}`]
    })
}

/** A check takes a tenth of a second, and its verdict depends only on the expression, the library, and the limits. */
const cacheFile = join(repositoryRoot, '.cache/regexps.json')
const cacheVersion = `${recheckPackage.version} ${JSON.stringify(limits)}`

function readVerdicts() {
  try {
    const cache = JSON.parse(readFileSync(cacheFile, 'utf8'))
    return new Map(cache.version === cacheVersion ? cache.verdicts : [])
  } catch {
    // The file does not exist, or was not written completely.
    return new Map()
  }
}

function writeVerdicts(verdicts) {
  mkdirSync(dirname(cacheFile), { recursive: true })
  writeFileSync(cacheFile, JSON.stringify({ version: cacheVersion, verdicts: [...verdicts] }))
}

await runOnPinnedNode(import.meta.url, async () => {
  const files = listProductFiles(repositoryRoot, productFolders)
  const expressions = files.flatMap((file) => expressionsIn(file, readSource(repositoryRoot, file)))
  const verdicts = readVerdicts()
  const faults = checkRegExps(expressions, verdicts)
  writeVerdicts(verdicts)
  if (faults.length > 0)
    throw new Error(
      `${faults.join('\n')}\nRewrite these to take linear time, or limit their input and say so: "// unchecked-regexp: <reason>".`,
    )
  console.log(`${expressions.length} regular expressions checked in ${files.length} files.`)
})

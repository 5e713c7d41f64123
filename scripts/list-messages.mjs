import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listProductFiles, parseSource, readSource } from './checks/source-files.mjs'
import { isProgram, repositoryRoot } from './run/ensure-node.mjs'
import { productFolders } from './run/product-packages.mjs'

// Lists the messages of the console, the API, the emails, and the log, to read them in one go:
//
//   npm run texts                  writes those of the product to texts.txt, and prints what differs from the last run
//   npm run texts -- FOLDER …      prints those of folders, such as console/src/screens/carriers

const notMessages =
  /^(?:GET|POST|PUT|PATCH|DELETE) \/|^[\w-]+\/[\w./+-]+$|^[a-z-]+:\s|^\(?(?:max|min)-|^var\(|^[#./@$]|^\S*\*\S*$/
/** Statements of SQL and their parts, and style sheets. ClickHouse names parameters such as {owner:String}. */
const statement =
  /^(?:SELECT|INSERT INTO|CREATE|ALTER TABLE|ORDER BY|LIMIT|SETTINGS|AND) |\{\w+:\w+\}|^\w+\(.+\)|^account_sid, |\{ [\w-]+: [^{}]*; \}/
const withoutMessages = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSLiteralType',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
])
const attributesWithoutMessages = /^(?:className|id|key|href|src|d|viewBox|type|rel|target|autoComplete|data-.*)$/

const squeeze = (text) => text.replace(/\s+/g, ' ').trim()

/** Returns whether a string is a text for people: words with a space between them, or one capitalized word. */
const isText = (text) =>
  /\p{L}{2}/u.test(text) &&
  !notMessages.test(text) &&
  !statement.test(text) &&
  (/\p{L}\S* \S/u.test(text) || /^\p{Lu}\p{Ll}+\b[.:…]?$/u.test(text))

const renderTemplate = ({ quasis, expressions }) =>
  quasis.map(({ value }, index) => value.cooked + (index < expressions.length ? '{…}' : '')).join('')

/** Returns the text of a JSX element with its inner elements. Expressions are shown as {…}. */
const renderChildren = (children) =>
  squeeze(
    children
      .map((child) => {
        if (child.type === 'JSXText') return child.value.replace(/\s*\n\s*/g, ' ')
        if (child.type === 'JSXElement' || child.type === 'JSXFragment') return renderChildren(child.children)
        const { expression } = child
        return expression?.type === 'Literal'
          ? String(expression.value)
          : expression?.type === 'JSXEmptyExpression'
            ? ''
            : '{…}'
      })
      .join(''),
  )

const collect = (file) => {
  const messages = new Set()
  const add = (text) => {
    if (isText(squeeze(text))) messages.add(squeeze(text))
  }
  const visit = (node, insideText = false) => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, insideText))
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string' || withoutMessages.has(node.type))
      return
    if (node.type === 'JSXAttribute' && attributesWithoutMessages.test(node.name.name)) return
    let inside = insideText
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      const hasText = node.children.some((child) => child.type === 'JSXText' && /\p{L}/u.test(child.value))
      if (hasText && !insideText) add(renderChildren(node.children))
      inside = insideText || hasText
    }
    if (node.type === 'Literal' && typeof node.value === 'string') add(node.value)
    if (node.type === 'TemplateLiteral') add(renderTemplate(node))
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key], inside)
  }
  visit(parseSource(file, readSource(repositoryRoot, file)).program)
  return messages
}

/**
 * Returns a line for each message below the given folders, sorted by folder: the folder and the message. Expressions are
 * shown as {…}.
 */
export const listMessages = (folders) => {
  const messagesByFolder = new Map()
  const files = listProductFiles(repositoryRoot, folders).filter((file) => !/\/(gallery|demo|database)\//.test(file))
  for (const file of files) {
    const messages = messagesByFolder.get(dirname(file)) ?? new Set()
    for (const message of collect(file)) messages.add(message)
    messagesByFolder.set(dirname(file), messages)
  }
  return [...messagesByFolder]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([folder, messages]) => [...messages].map((message) => `${folder}: ${message}`))
}

/** Returns the lines that only one of two lists has, with a sign before each as `diff` writes them. */
export const compareMessages = (before, after) => {
  const missingIn = (lines, others, sign) => {
    const all = new Set(others)
    return lines.filter((line) => !all.has(line)).map((line) => `${sign} ${line}`)
  }
  return [...missingIn(before, after, '-'), ...missingIn(after, before, '+')]
}

/** Git ignores the file. */
const textsFile = join(repositoryRoot, 'texts.txt')

if (isProgram(import.meta.url)) {
  const folders = process.argv.slice(2)
  const messages = listMessages(folders.length > 0 ? folders : productFolders)
  if (folders.length > 0) console.log(messages.join('\n'))
  else {
    const differences = existsSync(textsFile)
      ? compareMessages(readFileSync(textsFile, 'utf8').trimEnd().split('\n'), messages)
      : []
    writeFileSync(textsFile, `${messages.join('\n')}\n`)
    for (const difference of differences) console.log(difference)
    console.log(`texts.txt lists ${messages.length} texts.`)
  }
}

import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from './ensure-node.mjs'
import { listProductFiles, parseSource, readSource } from './source-files.mjs'

// Lists the messages of the console, the API, the emails, and the log, to read them in one go:
//
//   node scripts/list-messages.mjs FOLDER …   those of folders, such as console/src/screens/carriers
//   npm run texts                             writes those of the product to docs/reference/texts.md

const notMessages =
  /^(?:GET|POST|PUT|PATCH|DELETE) \/|^[\w-]+\/[\w./+-]+$|^[a-z-]+:\s|^\(?(?:max|min)-|^var\(|^[#./@$]|^\S*\*\S*$/
/** Statements of SQL and their parts. ClickHouse names parameters such as {owner:String}. */
const statement =
  /^(?:SELECT|INSERT INTO|CREATE|ALTER TABLE|ORDER BY|LIMIT|SETTINGS|AND) |\{\w+:\w+\}|^\w+\(.+\)|^account_sid, /
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

/** Returns the messages of each folder below the given ones, sorted by folder. */
const listByFolder = (folders) => {
  const messagesByFolder = new Map()
  const files = listProductFiles(repositoryRoot, folders).filter((file) => !/\/(gallery|demo|database)\//.test(file))
  for (const file of files) {
    const messages = messagesByFolder.get(dirname(file)) ?? new Set()
    for (const message of collect(file)) messages.add(message)
    if (messages.size > 0) messagesByFolder.set(dirname(file), messages)
  }
  return [...messagesByFolder].sort(([one], [other]) => (one < other ? -1 : 1))
}

const format = (sections, level) =>
  sections
    .map(([folder, messages]) => `${level} ${folder}\n\n\`\`\`text\n${[...messages].join('\n')}\n\`\`\`\n`)
    .join('\n')

const parts = [
  { title: 'Screens of the console', folders: ['console/src/screens'] },
  { title: 'Parts that several screens share', folders: ['console/src', ':!console/src/screens'] },
  { title: 'API and rules', folders: ['contract/src'] },
  { title: 'Server, emails, and log', folders: ['server/src'] },
]

/** Returns the page that lists all messages of the product. */
export const renderTextsPage = () => `# Texts of the product

Every text that a person reads, by the folder of the code that contains it, for reviews of the wording. \`{…}\` stands for
a value. \`npm run texts\` writes this page, and a test compares it with the code. CONTRIBUTING.md explains how the
product words its messages.

${parts.map(({ title, folders }) => `## ${title}\n\n${format(listByFolder(folders), '###')}`).join('\n')}`

export const textsPage = join(repositoryRoot, 'docs/reference/texts.md')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first, ...others] = process.argv.slice(2)
  if (first === '--write') writeFileSync(textsPage, renderTextsPage())
  else
    console.log(
      format(
        listByFolder(first === undefined ? ['console/src', 'contract/src', 'server/src'] : [first, ...others]),
        '##',
      ),
    )
}

import { repositoryRoot } from './ensure-node.mjs'
import { listProductFiles, parseSource, readSource } from './source-files.mjs'

// Lists the messages of the console, the API, and the mails by the files that contain them, to read them in one go:
//
//   node scripts/list-messages.mjs [folder …]     for example: node scripts/list-messages.mjs console/src/screens/carriers

const defaultFolders = ['console/src', 'contract/src', 'server/src']
const notMessages =
  /^(?:GET|POST|PUT|PATCH|DELETE) \/|^[\w-]+\/[\w./+-]+$|^[a-z-]+:\s|^\(?(?:max|min)-|^var\(|^[#./@$]|^\S*\*\S*$/
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

const folders = process.argv.slice(2).length > 0 ? process.argv.slice(2) : defaultFolders
const files = listProductFiles(repositoryRoot, folders).filter((file) => !/\/(gallery|demo|database)\//.test(file))
for (const file of files) {
  const messages = collect(file)
  if (messages.size > 0) console.log(`\n## ${file}\n${[...messages].map((text) => `- ${text}`).join('\n')}`)
}

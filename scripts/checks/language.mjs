import { isProgram, repositoryRoot } from '../run/ensure-node.mjs'
import { getLine, isSource, listFiles, parseSource, readSource, reportProblems } from './source-files.mjs'

// Checks file names, identifiers, and comments against the glossary: standard terms of the field instead of words that
// a newcomer would not search for, and comments that are sentences with a subject.

/**
 * Names, or parts of camelCase names, and the terms to use instead. A rule applies to the names that its pattern
 * matches.
 */
const identifierRules = [
  [/^gone$|[a-z]Gone$/, 'signal or isAborted'],
  [/^(the)?[dD]oor$/, 'tx'],
  [/^held$|^held[A-Z]/, 'locked, or what is meant'],
  [/^(most|least)[A-Z]/, 'max… or min…'],
  [/[aA]tOnce$/, 'concurrency or batchSize'],
  [/^(tell|told|said)$|^(tell|told|said)[A-Z]/, 'report, show, or announce'],
  [/^far$|^far[A-Z]/, 'remote, vendor, or peer'],
  [/^(later|late)[A-Z]/, 'lazy…'],
  [/^lacks$|^lacks[A-Z]|[lL]acking$/, 'missing…'],
  [/^(asked|given|wanted|known|made|found|shown|sent|kept)$/, 'a noun: what was requested, found, or created'],
  [/^(shown|asked|sent)[A-Z]|[a-z](Sent|Shown|Asked)$/, 'to…Payload, visible…, or requested…'],
  [/^(words|texts)$|[a-z](Words|Texts)$/, 'labels, messages, or format…'],
  [/^acts$|[a-z]Acts$/, 'actions'],
  [/[a-z]Faults?$/, 'error or errors'],
  [/^may[A-Z]/, 'can… or assertCan…'],
  [/^(whose|somebody|whoever|nobody|stranger|newcomer|whoCalls)$/, 'owner, caller, or anonymous'],
  [/^(mine|theirs)$/, 'localValue or remoteValue'],
  [/^place$|^place(Of|For)$|^standings?$/, 'owner, scope, position, or target'],
  [/^(moods?|letters?)$/, 'faultMode or message'],
  [/[a-z]Of$/, 'to…, get…, parse…, or format…'],
]

const fileNameRule =
  /(^|[-/])(gone|door|held|far|later|late|words|texts|moods?|letters?|acts|walls?|crowding|passes|in-use|afterwards|now-and-then|ahead|head-start|take-along|stranger|newcomer|place|sent|shown|whole|wire|away|lack|lacks|told|said|most|least)(?=[-./]|$)/

/** Beginnings of comments without a subject. */
const commentStart =
  /^(what|who|whose|which|whoever|whatever|those|nobody|none|nothing|somebody|of|where|as|one|its|all that|how|for who|never|once|both|neither|the same|from here|by hand)\b/i

const commentPhrases =
  /\b(the wire|far (side|end)|the house|rooms? of|the floor|the walls?|one door|the door|lets? (nobody|somebody|anyone|him|them|it) in|let in|gives? way|nobody|somebody|whoever|whose is|stands? (aside|here|there|for (themselves|itself))|comes? of (it|them|that)|what came|told (how|what|of|apart)|(is|are) told|tells? (of|which|apart)|up now|at work already|on its own feet|asked what to do|(is|are) asked|by turns|that one alone|for ever)\b/i

/** Names that a rule matches although they are right. */
const allowedNames = new Set([
  // The API uses this name for the author of an audit entry that was not authenticated.
  'nobody',
  // The API uses this name in the steps of the routing explainer.
  'found',
])

const walk = (node, visit) => {
  if (Array.isArray(node)) for (const child of node) walk(child, visit)
  else if (node !== null && typeof node === 'object' && typeof node.type === 'string') {
    visit(node)
    for (const key of Object.keys(node)) if (key !== 'type') walk(node[key], visit)
  }
}

/** Returns the identifiers that a binding pattern declares. */
const boundNames = (pattern) => {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'RestElement' ? boundNames(property.argument) : boundNames(property.value),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(pattern.left)
    case 'RestElement':
      return boundNames(pattern.argument)
    default:
      return []
  }
}

/** Returns the identifiers that a node declares. */
const declaredNames = (node) => {
  switch (node.type) {
    case 'VariableDeclarator':
      return boundNames(node.id)
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...boundNames(node.id), ...(node.params ?? []).flatMap(boundNames)]
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return boundNames(node.id)
    case 'TSPropertySignature':
    case 'TSMethodSignature':
      return node.key.type === 'Identifier' ? [node.key] : []
    default:
      return []
  }
}

const directive = /^(@|oxlint|biome|v8|c8|knip|ts-|#|\/)/

/** Returns the findings in a source file, one sentence each. */
export const checkSource = (file, text) => {
  const findings = []
  const report = (offset, message) => findings.push(`${file}:${getLine(text, offset)}: ${message}`)
  if (fileNameRule.test(file.replace(/\.(test|e2e)?\.?(tsx?|mjs)$/, '')))
    findings.push(`${file}: rename the file: its name is not a term of the field`)
  const { program, comments } = parseSource(file, text)
  walk(program, (node) => {
    for (const { name, start } of declaredNames(node)) {
      const rule = identifierRules.find(([pattern]) => pattern.test(name))
      if (rule !== undefined && !allowedNames.has(name)) report(start, `name "${name}": use ${rule[1]}`)
    }
  })
  for (const { value, start } of comments) {
    const comment = value.replaceAll(/^\s*\*+/gm, '').trim()
    if (directive.test(comment) || comment.length < 12) continue
    if (commentStart.test(comment)) report(start, `comment "${comment.slice(0, 60)}": start with a subject or a verb`)
    const phrase = commentPhrases.exec(comment)
    if (phrase !== null) report(start, `comment: say "${phrase[0]}" in standard terms`)
  }
  return findings
}

if (isProgram(import.meta.url)) {
  const files = listFiles(repositoryRoot).filter(
    (file) => isSource(file) && !file.startsWith('scripts/checks/language'),
  )
  reportProblems(files.flatMap((file) => checkSource(file, readSource(repositoryRoot, file))))
}

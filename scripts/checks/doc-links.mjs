// Checks that links in Markdown files, and paths below docs/ in Markdown and in code comments, lead to an existing file
// and, if they name one, to an existing heading. Also rejects citations of documents that are not in the repository, and
// lines of Markdown that are not wrapped.
import { dirname, posix } from 'node:path'
import { isProgram, repositoryRoot } from '../run/ensure-node.mjs'
import { findLongLines } from './long-lines.mjs'
import { getLine, isSource, listFiles, parseSource, readSource, reportProblems } from './source-files.mjs'

const isMarkdown = (file) => file.endsWith('.md')

/** Returns whether the archive of a release contains a file (`release.mjs`). Programs are in it as a bundle. */
const isReleased = (file) => /^(?:[^/]+\.md|LICENSE|\.|(?:docs|deploy)(?:\/.*)?)$/.test(file)

const citations = [
  { pattern: /(?<![\w/])api\/\d-[a-z-]+/g, advice: 'link to docs/reference/platform-api' },
  { pattern: /\bspec \d+ ?§ ?[\d.]+/g, advice: 'name the requirement, such as CARRIERS-12' },
  { pattern: /\bconsole facts\b|\bconsole\.md\b|\bdesign\/[a-z]+\.md\b/g, advice: 'state the reason instead' },
]

/** Returns the anchors of a Markdown file as GitHub generates them. Repeated headings get a number. */
const listAnchors = (markdown) => {
  const anchors = new Set()
  for (const [, heading] of withoutCodeBlocks(markdown).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Empties fenced code blocks, and keeps the line numbers. */
const withoutCodeBlocks = (markdown) =>
  markdown.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''))

/** Empties everything except comments, and keeps the line numbers. */
const onlyComments = (file, code) => {
  const comments = code.replaceAll(/[^\n]/g, ' ').split('')
  for (const { start, end } of parseSource(file, code).comments)
    for (let index = start; index < end; index += 1) comments[index] = code[index]
  return comments.join('')
}

/** Returns the targets of a text that must exist, with their position. */
const listTargets = (file, text) => {
  const mentioned = [...text.matchAll(/(?<![\w/.-])docs\/[\w./-]*(?:#[\w-]+)?/g)].map(({ 0: path, index }) => ({
    target: path.replace(/[.-]+$/, ''),
    index,
  }))
  if (!isMarkdown(file)) return mentioned
  const links = [...text.matchAll(/\]\(\s*<?([^\s)>]+)/g), ...text.matchAll(/^\[[^\]]+\]: *<?([^\s>]+)/gm)]
    .filter(([, target]) => !/^[a-z]+:/.test(target))
    .map(({ 1: target, index }) => ({
      target: target.startsWith('#') ? `${file}${target}` : posix.join(dirname(file), decodeURI(target)),
      index,
    }))
  // A path that is the target of a link is relative to the file.
  return [...links, ...mentioned.filter(({ index }) => text[index - 1] !== '(')]
}

/**
 * Returns the broken links and forbidden citations, one sentence each.
 *
 * @param {ReadonlyMap<string, string | null>} files contents by path relative to the root; null for other files, such as
 *   images, to which documents can link
 */
export const findProblems = (files) => {
  const existing = new Set([...files.keys()].flatMap((file) => [file, ...ancestors(file)]))
  const problems = []
  for (const [file, content] of files) {
    if (content === null) continue
    const text = isMarkdown(file) ? withoutCodeBlocks(content) : onlyComments(file, content)
    const report = (index, problem) => problems.push(`${file}:${getLine(text, index)} ${problem}`)
    for (const { target, index } of listTargets(file, text)) {
      const [path = '', anchor] = target.split('#')
      if (!existing.has(path.replace(/\/$/, ''))) report(index, `${path} does not exist`)
      else if (isMarkdown(file) && isReleased(file) && !isReleased(path.replace(/\/$/, '')))
        report(index, `${path} is not in a release, which contains this page: name it without a link`)
      else if (anchor !== undefined && !listAnchors(files.get(path) ?? '').has(anchor))
        report(index, `${path} has no heading for #${anchor}`)
    }
    for (const { pattern, advice } of citations)
      for (const { 0: citation, index } of text.matchAll(pattern))
        report(index, `"${citation}" is not in the repository: ${advice}`)
  }
  return problems
}

const ancestors = (file) => {
  const folder = posix.dirname(file)
  return folder === '.' ? ['.'] : [folder, ...ancestors(folder)]
}

if (isProgram(import.meta.url)) {
  const read = (file) => (isSource(file) || isMarkdown(file) ? readSource(repositoryRoot, file) : null)
  const files = new Map(listFiles(repositoryRoot).map((file) => [file, read(file)]))
  const longLines = [...files].flatMap(([file, content]) => (isMarkdown(file) ? findLongLines(file, content) : []))
  reportProblems([...findProblems(files), ...longLines])
}

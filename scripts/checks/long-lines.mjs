// Finds lines of Markdown that are not wrapped. Lines that are not alike make a diff of a small change large.

/** Width of the lines of Markdown and of code. */
export const maxColumns = 120

/** Entries of the changelog have at most two lines, which are longer. */
const notWrapped = new Set(['CHANGELOG.md'])

/** Lines that cannot be wrapped: of tables, headings, HTML, and definitions of links. */
const isFixed = (line) => /^\s*(?:\||#{1,6} |<|\[[^\]]+\]: )/.test(line)

/** Code, images, and links, which stay on a line if they are longer than it. */
const unbreakable = /`[^`]*`|!?\[[^\]]*\]\([^)]*\)/g

/** Returns whether a long line has a space at which it can be wrapped, after the mark of a list item. */
const canBeWrapped = (line) => {
  const text = line.replace(/^\s*(?:(?:[-*>]|\d+\.)\s+)?/, '').replaceAll(unbreakable, 'x')
  return text.trim().includes(' ')
}

/** Returns the lines of a Markdown file that are longer than `maxColumns`, one sentence each. */
export const findLongLines = (file, markdown) => {
  if (notWrapped.has(file)) return []
  let isCode = false
  return markdown.split('\n').flatMap((line, at) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    const isLong = !isCode && line.length > maxColumns && !isFixed(line) && canBeWrapped(line)
    return isLong ? [`${file}:${at + 1} has ${line.length} columns: wrap it at ${maxColumns}`] : []
  })
}

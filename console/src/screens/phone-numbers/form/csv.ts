/** Tables as spreadsheets write them: RFC 4180, with commas, semicolons or tabs between the cells. */

const separators = [',', ';', '\t'] as const

/** The one that stands most often in the first line, outside quotes. */
const separatorOf = (text: string): string => {
  const line = (/^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = separators.map((separator) => line.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** A cell that an export has kept from being run as a formula. */
const unguarded = (cell: string): string =>
  /^'\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell

interface CsvLine {
  /** from 1, as an editor counts them */
  line: number
  cells: string[]
}

/** The lines that are not empty. */
export const parseCsv = (given: string): CsvLine[] => {
  const text = given.replace(/^\ufeff/, '')
  const separator = separatorOf(text)
  const lines: CsvLine[] = []
  let cells: string[] = []
  let line = 1
  let started = 1
  let at = 0
  const end = (cell: string, isQuoted: boolean) => cells.push(unguarded(isQuoted ? cell : cell.trim()))
  const endLine = () => {
    if (cells.some((cell) => cell !== '')) lines.push({ line: started, cells })
    cells = []
  }
  while (at < text.length) {
    if (cells.length === 0) started = line
    if (text[at] === '"') {
      const from = at + 1
      at = from
      while (at < text.length && (text[at] !== '"' || text[at + 1] === '"')) at += text[at] === '"' ? 2 : 1
      const cell = text.slice(from, at).replaceAll('""', '"')
      line += cell.split('\n').length - 1
      at += 1
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
      end(cell, true)
    } else {
      const from = at
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
      end(text.slice(from, at), false)
    }
    if (text[at] === separator) {
      at += 1
      if (at === text.length) end('', false)
    } else {
      at += 1
      line += 1
      endLine()
    }
  }
  endLine()
  return lines
}

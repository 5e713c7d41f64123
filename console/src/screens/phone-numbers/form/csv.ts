/** Parses CSV files of spreadsheets: RFC 4180, with commas, semicolons, or tabs as separators. */

const separators = [',', ';', '\t'] as const

/** Returns the separator that occurs most often in the first line, outside quotes. */
const detectSeparator = (text: string): string => {
  const line = (/^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = separators.map((separator) => line.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Removes the apostrophe with which an export prevents a cell from being run as a formula. */
const removeFormulaGuard = (cell: string): string =>
  /^'\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell

interface CsvLine {
  /** Starts at 1, as in an editor. */
  line: number
  cells: string[]
}

/** Returns the lines that are not empty. */
export const parseCsv = (csv: string): CsvLine[] => {
  const text = csv.replace(/^\ufeff/, '')
  const separator = detectSeparator(text)
  const lines: CsvLine[] = []
  let cells: string[] = []
  let line = 1
  let cellStartLine = 1
  let at = 0
  const addCell = (cell: string, isQuoted: boolean) => cells.push(removeFormulaGuard(isQuoted ? cell : cell.trim()))
  const endLine = () => {
    if (cells.some((cell) => cell !== '')) lines.push({ line: cellStartLine, cells })
    cells = []
  }
  while (at < text.length) {
    if (cells.length === 0) cellStartLine = line
    if (text[at] === '"') {
      const from = at + 1
      at = from
      while (at < text.length && (text[at] !== '"' || text[at + 1] === '"')) at += text[at] === '"' ? 2 : 1
      const cell = text.slice(from, at).replaceAll('""', '"')
      line += cell.split('\n').length - 1
      at += 1
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
      addCell(cell, true)
    } else {
      const from = at
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1
      addCell(text.slice(from, at), false)
    }
    if (text[at] === separator) {
      at += 1
      if (at === text.length) addCell('', false)
    } else {
      at += 1
      line += 1
      endLine()
    }
  }
  endLine()
  return lines
}

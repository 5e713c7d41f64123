import type { Contract } from '@patchbay/contract/contract'
import { isSecretName, maskToken } from '@patchbay/contract/shared/masking'
import { buildUrl, type Plain } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { CopyMenu } from '../ui/copy-menu.tsx'
import { formatJson } from '../ui/json.ts'
import { showErrorToast } from '../feedback/use-action.ts'

type Reads = Extract<keyof Contract, `GET ${string}`>

interface TakeAlongProps {
  /** the request that reads what shows */
  endpoint: Reads
  input: Plain
  /** what shows, every row of it */
  rows: () => readonly object[] | Promise<readonly object[]>
  /** of the file, without its ending; a record alone is no table */
  table?: string
  /** the table as the server makes it, where it does */
  made?: (() => Promise<Blob>) | undefined
}

/** What is taken along holds no secret, whatever the screen may show. */
const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && typeof member === 'string' && member !== '' ? maskToken(member) : masked(member),
    ]),
  )
}

const columnsOf = (rows: readonly object[]) =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].map((header) => ({
    header,
    value: (row: object): unknown => Reflect.get(row, header),
  }))

/** How texts are made comes when one is asked for. */
const exporting = () => import('../ui/export.ts')

/** What a list or a record shows, as a command that asks for it, as JSON, and as a table. */
export const ExportMenu = ({ endpoint, input, rows, table, made }: TakeAlongProps) => {
  const taken = async () => (await rows()).map((row) => masked(row) as object)
  const url = () => new URL(buildUrl(config().apiBase, endpoint.slice('GET '.length), input), location.origin).href
  const csv = async () => {
    const [{ toCsv: csvOf }, all] = await Promise.all([exporting(), taken()])
    return csvOf(columnsOf(all), all)
  }
  const json = async () => {
    const all = await taken()
    return formatJson(table === undefined ? all[0] : all)
  }
  return (
    <CopyMenu
      curl={async () => (await exporting()).toCurl({ method: 'GET', url: url() })}
      json={json}
      {...(table === undefined ? {} : { csv: made ?? csv, fileName: `${table}.csv` })}
      onFailed={showErrorToast}
    />
  )
}

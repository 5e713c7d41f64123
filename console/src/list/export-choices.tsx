import type { Contract } from '@patchbay/contract/contract'
import type { Plain } from '../api/client.ts'
import { showErrorToast } from '../feedback/use-action.ts'
import { CopyMenu } from '../ui/overlay/copy-menu.tsx'
import { toCurl } from '../ui/request-code/curl.ts'
import { toJavaScript } from '../ui/request-code/javascript.ts'
import { rowsToCsv, rowsToJson, toRequest } from './export-rows.ts'

type Reads = Extract<keyof Contract, `GET ${string}`>

export interface ExportMenuProps {
  /** The request that reads the displayed data. */
  endpoint: Reads
  input: Plain
  /** All displayed rows. Undefined until they are read. */
  rows: () => readonly object[] | undefined | Promise<readonly object[]>
  /** The name of the file without its extension. Absent for a single record, which is not exported as a table. */
  table?: string
  /** Returns the CSV file that the server creates, if it can. */
  serverTable?: (() => Promise<Blob>) | undefined
}

/** The open menu of an export: the request as a curl command or JavaScript, the rows as JSON, and the table as CSV. */
export const ExportChoices = ({ endpoint, input, rows, table, serverTable }: ExportMenuProps) => {
  const read = async () => (await rows()) ?? []
  const csv = async () => rowsToCsv(await read())
  return (
    <CopyMenu
      startsOpen
      curl={() => toCurl(toRequest(endpoint, input))}
      javaScript={() => toJavaScript([toRequest(endpoint, input)])}
      json={async () => rowsToJson(await read(), table === undefined)}
      {...(table === undefined ? {} : { csv: serverTable ?? csv, fileName: `${table}.csv` })}
      onFailed={showErrorToast}
    />
  )
}

import type { RowPlan } from '@patchbay/rules/phone-number/import-rows'
import { type ReactNode, useMemo, useState } from 'react'
import { toaster } from '../../feedback/toaster.ts'
import { showErrorToast, useAction } from '../../feedback/use-action.ts'
import { AccountField } from '../../fields/account-field.tsx'
import { CarrierField } from '../../fields/carrier-field.tsx'
import { CopyRequest } from '../../form/copy-request/copy-request.tsx'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { listBackLink } from '../../list/list-navigation-state.ts'
import { findOnlyAccount } from '../../record/default-account.ts'
import { useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { importPhoneNumbers, phoneNumberList } from '../../routes/phone-numbers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { ProgressLine } from '../../ui/progress-line.tsx'
import { addDeniedReason } from './can-add.ts'
import bulk from './form/bulk.module.css'
import { decodeFile } from './form/decode-file.ts'
import {
  type CheckedRow,
  type Defaults,
  type FileRead,
  type FileRow,
  isNewPattern,
  maxBytes,
  maxRows,
  type RecordColumn,
  withDefaults,
} from './form/import-file.ts'
import { type Chosen, checkRows, importRows, maxShownRows, sendImport } from './form/import-numbers.ts'
import { findUnknownColumn, withoutColumns } from './form/unknown-columns.ts'
import { nouns } from './selection.ts'

const ImportRows = lazyPart('import-rows', async () => (await import('./form/import-rows.tsx')).ImportRows)

const noneChosen = 'The chosen rows change nothing.'
const noDefaults: Defaults = { account_sid: '', voip_carrier_sid: '' }

/** A chosen file. */
interface ChosenFile {
  read: FileRead
  /** Reads the numbers of a column that the user chooses. */
  readColumn?: (column: number) => FileRead
  /** Says how the file was read, if that may be wrong. */
  note?: string | undefined
}

const readFile = async (file: File): Promise<ChosenFile> => {
  if (file.size > maxBytes)
    return {
      read: {
        is: 'unreadable',
        why: `The file has ${(file.size / 1_000_000).toFixed(1)} MB. At most ${maxBytes / 1_000_000} MB can be imported at once. Split the file.`,
      },
    }
  const { text, note, why } = decodeFile(new Uint8Array(await file.arrayBuffer()))
  if (why !== undefined) return { read: { is: 'unreadable', why } }
  const [{ parseCsv }, { readFileRows }] = await Promise.all([import('./form/csv.ts'), import('./form/file-rows.ts')])
  const lines = parseCsv(text)
  return { read: readFileRows(lines), readColumn: (column) => readFileRows(lines, column), note }
}

const isChoosable = ({ plan, outcome }: CheckedRow): boolean =>
  (plan.is === 'new' || plan.is === 'changed') && outcome !== 'done'

const getChosen = (rows: readonly CheckedRow[], excludedLines: ReadonlySet<number>): Chosen[] =>
  rows.flatMap(({ row, plan, outcome }) =>
    plan.is !== 'wrong' && isChoosable({ row, plan, outcome }) && !excludedLines.has(row.line) ? [{ row, plan }] : [],
  )

/** Returns the reason why the requests that import the rows are not shown. */
const copyDeniedReason = ({ length }: readonly Chosen[]): string | undefined => {
  if (length === 0) return noneChosen
  return length > maxShownRows ? `The requests of at most ${formatCount(maxShownRows)} rows are shown.` : undefined
}

const FileSection = ({ onRead, isBusy }: { onRead: (file: ChosenFile) => void; isBusy: boolean }) => (
  <TextField
    label="CSV file"
    type="file"
    accept=".csv,.txt,text/csv,text/plain"
    disabled={isBusy}
    hint={`The first line names the columns: number, carrier, account, application. Values are names or SIDs. A CSV file downloaded from the list or from a provider also works. Up to ${formatCount(maxRows)} rows and ${maxBytes / 1_000_000} MB.`}
    onChange={async ({ target }) => {
      const file = target.files?.[0]
      if (file) await readFile(file).then(onRead, showErrorToast)
    }}
  />
)

/**
 * Imports phone numbers from a file. The rows are checked first, and nothing changes before the user starts the import.
 */
export const ImportPhoneNumbersPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const [chosenFile, setChosenFile] = useState<ChosenFile>()
  const accounts = useKnownAccounts()
  const onlyAccount = actor.account_sid === null ? findOnlyAccount(accounts.data) : undefined
  const [chosenDefaults, setDefaults] = useState(noDefaults)
  const defaults = onlyAccount === undefined ? chosenDefaults : { ...chosenDefaults, account_sid: onlyAccount }
  const [checked, setChecked] = useState<readonly CheckedRow[]>()
  const [ignoredColumns, setIgnoredColumns] = useState<ReadonlySet<RecordColumn>>(new Set())
  const [excludedLines, setExcludedLines] = useState<ReadonlySet<number>>(new Set())
  const [done, setDone] = useState(0)
  const blocked = addDeniedReason(actor)
  const file = chosenFile?.read
  const rows = file?.is === 'read' ? file.rows : []
  const unusedColumns = file?.is === 'read' ? [...file.unused, ...ignoredColumns] : []

  const check = useAction({
    run: async ({ fileRows, ignored }: { fileRows: readonly FileRow[]; ignored: ReadonlySet<RecordColumn> }) => {
      setDone(0)
      setChecked(undefined)
      const completedRows = fileRows.map((row) => withDefaults(withoutColumns(row, ignored), defaults))
      return { completed: completedRows, plans: await checkRows(service_provider_sid, completedRows, setDone) }
    },
    after: ({ completed, plans }) => {
      const checkedRows = completed.map((row, at) => ({ row, plan: plans[at] as RowPlan, outcome: undefined }))
      // A pattern is imported only if the user selects it.
      setExcludedLines(new Set(checkedRows.filter(isNewPattern).map(({ row }) => row.line)))
      setChecked(checkedRows)
    },
  })

  const chosen = useMemo(() => getChosen(checked ?? [], excludedLines), [checked, excludedLines])
  const importChosen = useAction({
    run: async (selectedRows: readonly Chosen[]) => {
      setDone(0)
      const outcomes = await importRows(service_provider_sid, selectedRows, setDone)
      return new Map(selectedRows.map(({ row }, at) => [row.line, outcomes[at]]))
    },
    changes: [['phone-numbers']],
    after: (outcomes) => {
      setChecked((before) =>
        before?.map((one) =>
          outcomes.has(one.row.line) ? { ...one, outcome: outcomes.get(one.row.line) ?? 'done' } : one,
        ),
      )
      const failed = [...outcomes.values()].filter((why) => why !== undefined).length
      const importedCount = outcomes.size - failed
      if (importedCount > 0) toaster.success(`${countText(importedCount, importedCount, nouns)} imported`)
      if (failed > 0) toaster.failure(`${countText(failed, failed, nouns)} could not be imported`)
    },
  })
  const isBusy = check.isPending || importChosen.isPending
  const unknownColumn = useMemo(() => findUnknownColumn(checked ?? []), [checked])
  const ignoreColumn = (column: RecordColumn) => {
    const all = new Set([...ignoredColumns, column])
    setIgnoredColumns(all)
    check.mutate({ fileRows: rows, ignored: all })
  }
  const setDefault = (part: Partial<Defaults>) => {
    setDefaults({ ...defaults, ...part })
    // The checked plans depend on the defaults, so they are discarded.
    setChecked(undefined)
  }

  return (
    <>
      <ScreenHeader
        screen={importPhoneNumbers}
        description="Import numbers from a CSV file. Patchbay checks every row before it changes anything."
        actions={
          <ScreenLink {...listBackLink(phoneNumberList)} className={buttonClass()}>
            Back to the list
          </ScreenLink>
        }
      />
      <div className={bulk['form']}>
        <FormSection title="File" description="A table in CSV format.">
          <FileSection
            isBusy={isBusy}
            onRead={(read) => {
              setChosenFile(read)
              setIgnoredColumns(new Set())
              setChecked(undefined)
            }}
          />
          {file?.is === 'unreadable' && (
            <Banner tone="bad" role="alert">
              {file.why}
            </Banner>
          )}
          {file?.is === 'ambiguous' && (
            <SelectField
              label="Column with the numbers"
              hint="No column of the file has a name that Patchbay knows, such as number, DID, or E.164."
              placeholder="Choose a column"
              options={file.columns.map(({ index, label }) => ({ value: String(index), label }))}
              value=""
              onChange={({ target }) =>
                setChosenFile({ ...chosenFile, read: chosenFile?.readColumn?.(Number(target.value)) ?? file })
              }
            />
          )}
          {chosenFile?.note !== undefined && (
            <Banner tone="warn" role="status">
              {chosenFile.note}
            </Banner>
          )}
          {file?.is === 'read' && file.skipped !== undefined && (
            <Banner tone="warn" role="status">
              Skipped {countText(file.skipped, file.skipped, ['line', 'lines'])} above the column names.
            </Banner>
          )}
          {unusedColumns.length > 0 && (
            <Banner tone="warn" role="status">
              Ignored columns: {unusedColumns.join(', ')}.
            </Banner>
          )}
          {unknownColumn !== undefined && (
            <Banner
              tone="warn"
              role="status"
              action={
                <Button disabled={isBusy} onClick={() => ignoreColumn(unknownColumn)}>
                  Ignore this column
                </Button>
              }
            >
              No value of the column “{unknownColumn}” names a record that you can use in Patchbay. The values may be
              those of your provider.
            </Banner>
          )}
          {actor.account_sid === null && onlyAccount === undefined && !accounts.isLoading && (
            <AccountField
              service_provider_sid={service_provider_sid}
              label="Account for rows without one"
              all="None"
              value={defaults.account_sid}
              onChange={(account_sid) => setDefault({ account_sid, voip_carrier_sid: '' })}
            />
          )}
          <CarrierField
            label="Carrier for rows without one"
            hint="An existing number keeps its carrier and account if its row names neither."
            account_sid={actor.account_sid ?? defaults.account_sid}
            name="carrier"
            value={defaults.voip_carrier_sid}
            onChange={(voip_carrier_sid) => setDefault({ voip_carrier_sid })}
          />
          <div>
            <Button
              variant={checked ? 'secondary' : 'primary'}
              busy={check.isPending}
              disabledReason={blocked ?? (rows.length === 0 ? 'Choose a file first.' : undefined)}
              onClick={() => check.mutate({ fileRows: rows, ignored: ignoredColumns })}
            >
              {rows.length === 0 ? 'Check rows' : `Check ${countText(rows.length, rows.length, ['row', 'rows'])}`}
            </Button>
          </div>
          {check.isPending && <ProgressLine label="Checking" done={done} of={rows.length} />}
        </FormSection>
      </div>
      {checked && (
        <ImportRows
          rows={checked}
          excludedLines={excludedLines}
          onExcludedLinesChange={setExcludedLines}
          isChoosable={isChoosable}
        >
          {importChosen.isPending ? (
            <div className={bulk['grow']}>
              <ProgressLine label="Importing" done={done} of={chosen.length} />
            </div>
          ) : (
            <>
              <CopyRequest
                prepare={(use) => use(() => sendImport(service_provider_sid, chosen))}
                blocked={copyDeniedReason(chosen)}
              />
              <Button
                variant="primary"
                disabledReason={chosen.length === 0 ? noneChosen : undefined}
                onClick={() => importChosen.mutate(chosen)}
              >
                Import {countText(chosen.length, chosen.length, nouns)}
              </Button>
            </>
          )}
        </ImportRows>
      )}
    </>
  )
}

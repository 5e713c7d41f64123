import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { useState } from 'react'
import { toaster } from '../../feedback/toaster.ts'
import { useAction } from '../../feedback/use-action.ts'
import { AccountField } from '../../fields/account-field.tsx'
import { ApplicationField } from '../../fields/application-field.tsx'
import { Banner } from '../../ui/banner.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { Dialog, DialogActions } from '../../ui/overlay/dialog.tsx'
import styles from './form/bulk.module.css'
import { ProgressLine } from './form/progress-line.tsx'
import { routeNumbers, type Unrouted } from './form/route-numbers.ts'
import { allNumbers, type NumberQuery } from './queries.ts'
import { countSelected, isSelected, type Selection } from './selection.ts'
import { nouns } from './selection-bar.tsx'

interface BulkRoutingProps {
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  query: NumberQuery
  /**
   * SID of the account of all selected numbers. Undefined if they belong to several accounts or the account is unknown.
   */
  account_sid: string | undefined
  onRouted: () => void
  onClose: () => void
}

/** Failed numbers beyond this limit are only counted. */
const maxListedFailures = 200

interface Progress {
  what: string
  done: number
  of: number
}

const Failed = ({ unrouted }: { unrouted: readonly Unrouted[] }) => (
  <>
    <Banner tone="bad" role="alert">
      {countText(unrouted.length, unrouted.length, nouns)} could not be changed. All others were changed.
    </Banner>
    <ul className={styles['failed']} aria-label="Not routed">
      {unrouted.slice(0, maxListedFailures).map(({ number, why }) => (
        <li key={number.phone_number_sid}>
          <PhoneNumberText value={number.number} />: {why}
        </li>
      ))}
      {unrouted.length > maxListedFailures && <li>and {formatCount(unrouted.length - maxListedFailures)} more</li>}
    </ul>
  </>
)

/**
 * Dialog that sets or clears the application of all selected numbers. It lists the numbers that failed and can retry
 * them.
 */
export const BulkRouting = ({ selection, total, query, account_sid, onRouted, onClose }: BulkRoutingProps) => {
  const [account, setAccount] = useState(account_sid ?? '')
  const [application, setApplication] = useState('')
  const [progress, setProgress] = useState<Progress>()
  const [unrouted, setUnrouted] = useState<readonly Unrouted[]>([])
  const count = countSelected(selection, total)

  const readSelected = async (): Promise<NamedPhoneNumber[]> => {
    if (selection.is === 'some') return [...selection.rows.values()]
    const all = await allNumbers(query, (done, of) => setProgress({ what: 'Reading numbers', done, of }))
    return all.filter((number) => isSelected(selection, number))
  }
  const route = useAction({
    run: async (retryNumbers: readonly NamedPhoneNumber[] | undefined) => {
      try {
        const numbers = retryNumbers ?? (await readSelected())
        const of = numbers.length
        setProgress({ what: 'Updating number routing', done: 0, of })
        return await routeNumbers(application || null, numbers, (done) =>
          setProgress({ what: 'Updating number routing', done, of }),
        )
      } finally {
        setProgress(undefined)
      }
    },
    changes: [['phone-numbers'], ['phone-number']],
    after: (failed) => {
      setUnrouted(failed)
      if (failed.length > 0) return
      toaster.success('Number routing updated successfully')
      onRouted()
      onClose()
    },
  })
  const isBusy = route.isPending
  const failedNumbers = unrouted.map(({ number }) => number)

  return (
    <Dialog
      title={`Set the application of ${countText(count, count, nouns)}`}
      size="medium"
      blocking={isBusy}
      onClose={onClose}
      footer={
        <DialogActions
          cancelLabel={unrouted.length > 0 ? 'Close' : 'Cancel'}
          busy={isBusy}
          onConfirm={() => route.mutate(unrouted.length > 0 ? failedNumbers : undefined)}
          onCancel={onClose}
        >
          {unrouted.length > 0 ? 'Retry these' : 'Apply'}
        </DialogActions>
      }
    >
      <div className={styles['fields']}>
        {account_sid === undefined && (
          <AccountField
            service_provider_sid={query.service_provider_sid}
            value={account}
            label="Applications of"
            all="None: no application for all"
            onChange={(chosen) => {
              setAccount(chosen)
              setApplication('')
            }}
          />
        )}
        {account === '' ? (
          <p>
            The selected numbers may belong to several accounts. An application is assigned only to the numbers of its
            own account, and the others are listed. Without an account, the application of all selected numbers is
            removed.
          </p>
        ) : (
          <ApplicationField
            label="Application"
            hint="None: the default application of the carrier handles the calls."
            account_sid={account}
            name="application_sid"
            value={application}
            onChange={setApplication}
          />
        )}
        {progress && <ProgressLine label={progress.what} done={progress.done} of={progress.of} />}
        {unrouted.length > 0 && !isBusy && <Failed unrouted={unrouted} />}
      </div>
    </Dialog>
  )
}

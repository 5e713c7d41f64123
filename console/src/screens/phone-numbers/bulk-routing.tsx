import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { useState } from 'react'
import { toaster } from '../../feedback/toaster.ts'
import { useAction } from '../../feedback/use-action.ts'
import { AccountField } from '../../fields/account-field.tsx'
import { ApplicationField } from '../../fields/application-field.tsx'
import { findOnlyAccount } from '../../record/default-account.ts'
import { useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { Banner } from '../../ui/banner.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { Dialog, DialogActions } from '../../ui/overlay/dialog.tsx'
import { ProgressLine } from '../../ui/progress-line.tsx'
import styles from './form/bulk.module.css'
import { readSelected } from './form/read-selected.ts'
import { type RoutingOutcome, routeNumbers, type Unrouted } from './form/route-numbers.ts'
import { type NumberQuery, numberKeys } from './queries.ts'
import { countSelected, nouns, type Selection } from './selection.ts'

/** The outcome, with the application that the numbers got, or null if theirs was removed. */
export interface AppliedRouting extends RoutingOutcome {
  application_sid: string | null
}

interface BulkRoutingProps {
  /** Whether the dialog removes the application. Otherwise the user chooses one. */
  removes: boolean
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  query: NumberQuery
  /**
   * SID of the account of all selected numbers. Undefined if they belong to several accounts or the account is unknown.
   */
  account_sid: string | undefined
  /** Called with what was done, if anything was tried. */
  onClose: (routing?: AppliedRouting) => void
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

/** The value of the choice that removes the application. */
const none = 'none'

/**
 * Dialog that sets the application of all selected numbers, or removes it after a confirmation. Starts without a choice.
 * Lists the numbers that failed and can retry them. What was changed can be undone in the list.
 */
export const BulkRouting = ({ removes, selection, total, query, account_sid, onClose }: BulkRoutingProps) => {
  const accounts = useKnownAccounts()
  const [chosenAccount, setChosenAccount] = useState('')
  const knownAccount = account_sid ?? findOnlyAccount(accounts.data)
  const account = knownAccount ?? chosenAccount
  const [application, setApplication] = useState(removes ? none : '')
  const [isConfirming, setConfirming] = useState(removes)
  const [progress, setProgress] = useState<Progress>()
  const [tried, setTried] = useState<RoutingOutcome>()
  const { routed = [], unrouted = [] } = tried ?? {}
  const count = countSelected(selection, total)
  const application_sid = application === none ? null : application

  const close = (outcome = tried) => onClose(outcome && { application_sid, ...outcome })
  const route = useAction({
    run: async (retryNumbers: readonly NamedPhoneNumber[] | undefined) => {
      try {
        const onRead = (done: number, of: number) => setProgress({ what: 'Reading numbers', done, of })
        const numbers = retryNumbers ?? (await readSelected(selection, query, onRead))
        const of = numbers.length
        setProgress({ what: 'Updating number routing', done: 0, of })
        return await routeNumbers({ application_sid }, numbers, (done) =>
          setProgress({ what: 'Updating number routing', done, of }),
        )
      } finally {
        setProgress(undefined)
      }
    },
    changes: numberKeys,
    after: (latest) => {
      const outcome = { routed: [...routed, ...latest.routed], unrouted: latest.unrouted }
      setTried(outcome)
      if (outcome.unrouted.length > 0) return
      toaster.success('Number routing updated successfully')
      close(outcome)
    },
  })
  const isBusy = route.isPending
  const hasFailed = unrouted.length > 0
  const asks = application === none && !isConfirming
  const confirm = () => {
    if (asks) setConfirming(true)
    else route.mutate(hasFailed ? unrouted.map(({ number }) => number) : undefined)
  }

  return (
    <Dialog
      title={`${isConfirming ? 'Remove' : 'Set'} the application of ${countText(count, count, nouns)}`}
      size="medium"
      blocking={isBusy}
      onClose={() => close()}
      footer={
        <DialogActions
          cancelLabel={hasFailed ? 'Close' : 'Cancel'}
          busy={isBusy}
          danger={isConfirming}
          disabledReason={application === '' ? 'Choose an application' : undefined}
          onConfirm={confirm}
          onCancel={() => close()}
        >
          {hasFailed ? 'Retry these' : asks ? 'Remove application…' : isConfirming ? 'Remove application' : 'Apply'}
        </DialogActions>
      }
    >
      <div className={styles['fields']}>
        {isConfirming ? (
          <p>
            {countText(count, count, nouns)} will have no application. The default application of the carrier then
            handles the calls.
          </p>
        ) : (
          <>
            {knownAccount === undefined && !accounts.isLoading && (
              <AccountField
                service_provider_sid={query.service_provider_sid}
                value={account}
                label="Applications of"
                hint="The selected numbers may belong to several accounts. An application is assigned only to the numbers of its own account, and the others are listed."
                onChange={(chosen) => {
                  setChosenAccount(chosen)
                  setApplication('')
                }}
              />
            )}
            {account !== '' && (
              <ApplicationField
                label="Application"
                hint="None: the default application of the carrier handles the calls."
                owner={{ account_sid: account }}
                name="application_sid"
                noneValue={none}
                value={application}
                onChange={setApplication}
              />
            )}
          </>
        )}
        {progress && <ProgressLine label={progress.what} done={progress.done} of={progress.of} />}
        {hasFailed && !isBusy && <Failed unrouted={unrouted} />}
      </div>
    </Dialog>
  )
}

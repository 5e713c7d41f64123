import type { Uses } from '@patchbay/contract/api/used-by'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { countText, formatCount, type Nouns } from '../ui/format/text.ts'
import { Dialog } from '../ui/overlay/dialog.tsx'
import styles from './dependents-dialog.module.css'

/** The records that prevent the deletion of another record. They are looked up before the confirmation dialog opens. */

/** Dependent records of one kind. */
export interface DependentKind {
  nouns: Nouns
  uses: Uses
  /** Renders one of them as a name or a link. */
  show?: (use: Uses['first'][number]) => ReactNode
  /** Content below the list. */
  after?: ReactNode
}

interface InUseDialogProps {
  /** The singular noun, such as "account". */
  what: string
  kinds: readonly DependentKind[]
  onClose: () => void
  /** A button for another way to delete the record. */
  action?: ReactNode
  /** The instructions for the user. */
  children: ReactNode
}

const KindList = ({ nouns, uses: { total, first }, show, after }: DependentKind) => {
  const title = countText(total, total, nouns)
  const more = total - first.length
  return (
    <section>
      <h3 className={styles.title}>{title}</h3>
      <ul className={styles.list} aria-label={title}>
        {first.map((use) => (
          <li key={use.sid}>{show ? show(use) : <bdi>{use.name}</bdi>}</li>
        ))}
        {more > 0 && <li className={styles.more}>and {formatCount(more)} more</li>}
      </ul>
      {after}
    </section>
  )
}

/** Returns whether there are dependent records of any kind. */
export const isUsed = (kinds: readonly DependentKind[]): boolean => kinds.some(({ uses }) => uses.total > 0)

/** The dependent records, by kind. */
export const DependentLists = ({ kinds }: { kinds: readonly DependentKind[] }) =>
  kinds.filter(({ uses }) => uses.total > 0).map((kind) => <KindList key={kind.nouns[1]} {...kind} />)

/** The dialog for a record that cannot be deleted because other records depend on it. */
export const InUseDialog = ({ what, kinds, onClose, action, children }: InUseDialogProps) => (
  <Dialog
    title={`This ${what} is in use`}
    onClose={onClose}
    footer={
      <>
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
        {action}
      </>
    }
  >
    {children}
    <DependentLists kinds={kinds} />
  </Dialog>
)

interface UseLookUpProps {
  what: string
  lookUp: Pick<UseQueryResult, 'isLoadingError' | 'isFetching' | 'error' | 'refetch'>
}

/** The banner for a failed lookup of dependent records, with a button to retry. */
export const UseLookUpFailed = ({ what, lookUp }: UseLookUpProps) =>
  lookUp.isLoadingError && (
    <Banner
      tone="bad"
      role="alert"
      title={`The records that use the ${what} could not be loaded.`}
      requestId={getRequestId(lookUp.error)}
      action={
        <Button size="small" busy={lookUp.isFetching} onClick={() => void lookUp.refetch()}>
          Retry
        </Button>
      }
    >
      {errorMessage(lookUp.error)}
    </Banner>
  )

/** Returns the reason why a record cannot be deleted before its dependents are known. */
export const unknownUse = (what: string): string => `It is not known whether the ${what} is still in use.`

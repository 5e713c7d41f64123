import { isAtLeast } from '@patchbay/contract/api/access'
import type { Call } from '@patchbay/contract/recent-calls'
import type { CallReviews } from '@patchbay/contract/reviews'
import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { toaster } from '../../../feedback/toaster.ts'
import { showErrorToast, useAction } from '../../../feedback/use-action.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { oneCall } from '../../../routes/recent-calls.ts'
import { reviews as reviewScreen } from '../../../routes/reviews.ts'
import { useNavigateTo } from '../../../screen/links.tsx'
import { ReviewReasons } from '../../../sections/review-reasons.tsx'
import { reviewSettingsQuery } from '../../../sections/review-settings-query.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { callReviewsQuery, findNextCall, reviewersQuery } from './queries.ts'
import styles from './review.module.css'
import { ReviewForm, type ReviewValues } from './review-form.tsx'
import { ReviewList } from './review-list.tsx'

/** Operators review the calls of all accounts of the provider one after another. */
const toOwner = ({ account_sid, service_provider_sid }: Call): OwnerSid =>
  isAtLeast(requiredSession().actor.scope, 'service_provider') && service_provider_sid !== null
    ? { service_provider_sid }
    : { account_sid }

const Assignee = ({ call, reviews }: { call: { account_sid: string; call_sid: string }; reviews: CallReviews }) => {
  const { account_sid, call_sid } = call
  const { assignee } = reviews
  const reviewers = useQuery(reviewersQuery(account_sid))
  const assign = useAction({
    run: (user_sid: string | null) =>
      api('PUT /patchbay/accounts/:account_sid/calls/:call_sid/assignee', {
        params: { account_sid, call_sid },
        body: { user_sid },
      }),
    done: (_, user_sid) => (user_sid === null ? 'Call no longer assigned' : 'Call assigned'),
    changes: [callReviewsQuery(call).queryKey, ['reviews']],
  })
  // The assignee may no longer be a reviewer, or one that the user does not see.
  const options = reviewers.data ?? []
  const users =
    assignee && !options.some(({ user_sid }) => user_sid === assignee.user_sid) ? [assignee, ...options] : options
  return (
    <SelectField
      label="Assigned to"
      placeholder="Nobody"
      value={assignee?.user_sid ?? ''}
      options={users.map(({ user_sid, name }) => ({ value: user_sid, label: name }))}
      disabled={requiredSession().actor.is_view_only || assign.isPending}
      onChange={({ target }) => assign.mutate(target.value || null)}
    />
  )
}

const ModelCheck = ({ call, model }: { call: { account_sid: string; call_sid: string }; model: string }) => {
  const { account_sid, call_sid } = call
  const check = useAction({
    run: () =>
      api('POST /patchbay/accounts/:account_sid/calls/:call_sid/reviews/model', { params: { account_sid, call_sid } }),
    done: ({ score }) => `The language model gave a score of ${score}`,
    changes: [callReviewsQuery(call).queryKey, ['reviews']],
  })
  return (
    <Button
      busy={check.isPending}
      disabledReason={viewOnlyReason(requiredSession().actor)}
      onClick={() => check.mutate(undefined)}
    >
      Check with {model}
    </Button>
  )
}

interface ReviewSectionProps {
  call: Call & { call_sid: string }
  /** Whether the form is open at first, as for calls that were opened from the list of reviews. */
  isReviewing: boolean
}

/** The reviews of a call, its assignee, and the form for the user's own review. */
export const ReviewSection = ({ call, isReviewing }: ReviewSectionProps) => {
  const { account_sid, call_sid } = call
  const { actor } = requiredSession()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const navigateTo = useNavigateTo()
  const [isOpen, setOpen] = useState(isReviewing && !actor.is_view_only)
  const query = useQuery(callReviewsQuery(call))
  const settings = useQuery({
    ...reviewSettingsQuery(call.service_provider_sid ?? ''),
    enabled: isOpen && call.service_provider_sid !== null,
  })
  const params = { account_sid, call_sid }
  const changes = [callReviewsQuery(call).queryKey, ['reviews']]
  const save = useAction({
    run: ({ values }: { values: ReviewValues; isNext?: boolean }) =>
      api('PUT /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own', { params, body: values }),
    done: () => 'Review saved',
    changes,
    after: async (_, { isNext }) => {
      setOpen(false)
      if (!isNext) return heading.current?.focus()
      try {
        const next = await findNextCall(toOwner(call), { ...params, attempted_at: call.attempted_at })
        if (next !== undefined)
          return await navigateTo({ to: oneCall, params: next, search: { tab: 'conversation:review' } })
        toaster.success('There are no older calls to review')
        await navigateTo({ to: reviewScreen })
      } catch (error) {
        showErrorToast(error)
      }
    },
    quiet: true,
  })
  const remove = useAction({
    run: () => api('DELETE /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own', { params }),
    done: () => 'Review deleted',
    changes,
    after: () => {
      setOpen(false)
      heading.current?.focus()
    },
  })
  if (query.data === undefined) return <FormLoading queries={[query]} sections={1} />
  const { state, reasons, reviews, has_own, model } = query.data
  const own = has_own ? reviews[0] : undefined
  return (
    <section aria-labelledby={id} className={styles['section']}>
      <div className={styles['title']}>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {state === 'to_review' ? 'To review' : 'Review'}
        </h2>
        <ReviewReasons reasons={reasons} />
      </div>
      {reviews.length > 0 && <ReviewList reviews={reviews} />}
      <Assignee call={params} reviews={query.data} />
      {isOpen ? (
        settings.data === undefined ? (
          <FormLoading queries={[settings]} sections={1} />
        ) : (
          <ReviewForm
            settings={settings.data}
            own={own}
            isBusy={save.isPending || remove.isPending}
            error={save.error}
            sendRequest={(values) => save.run({ values })}
            onSave={(values, isNext) => save.mutate({ values, isNext })}
            onCancel={() => setOpen(false)}
            onDelete={() => remove.mutate(undefined)}
          />
        )
      ) : (
        <div className={styles['actions']}>
          <Button
            variant={state === 'to_review' ? 'primary' : 'secondary'}
            disabledReason={viewOnlyReason(actor)}
            onClick={() => setOpen(true)}
          >
            {own === undefined ? 'Review call' : 'Edit your review'}
          </Button>
          {model !== null && <ModelCheck call={params} model={model} />}
        </div>
      )}
    </section>
  )
}

/** Why a subscription that ran gives nothing: as the platform writes it (api/4-calls-and-hosted.md §5.9). */
export const unpaid = 'payment failed'

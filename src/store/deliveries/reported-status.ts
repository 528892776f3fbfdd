/** The `ReportedStatus` of the endpoint `e`. A success, a resume and a corrected address clear `first_failure_at`. */
export const reportedStatus = `case
    when e.status = 'active' and e.url is null then 'no_webhook'
    when e.status = 'active' and e.first_failure_at is not null then 'failing'
    else e.status
  end`;

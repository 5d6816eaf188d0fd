-- The captures that lack more than one message in a hundred.
SELECT file,
       sum(messages) AS messages,
       sum(missing_reliable + missing_unreliable + missing_parts) AS missing
FROM connections
GROUP BY file
HAVING sum(missing_reliable + missing_unreliable + missing_parts) * 100 > sum(messages)

-- The messages of each day and transport: these columns are folders of a partitioned data set.
SELECT CAST(date AS STRING) AS date, transport, count(*) AS messages
FROM messages
GROUP BY 1, 2

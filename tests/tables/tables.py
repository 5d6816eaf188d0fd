"""Answers a question with one of the engines, from a data set that gdwire wrote.

Usage: tables.py ENGINE DATASET QUESTION.sql…   Prints a JSON object for each row of the answers.
"""

import json
import sys
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

TABLES = ["messages", "states", "losses", "connections"]


def duckdb(dataset):
    import duckdb

    session = duckdb.connect()
    for table in TABLES:
        session.execute(f"CREATE VIEW {table} AS FROM '{dataset}/{table}/**/*.parquet'")
    return lambda sql: session.sql(sql).to_arrow_table()


def polars(dataset):
    import polars

    tables = {table: polars.scan_parquet(f"{dataset}/{table}") for table in TABLES}
    session = polars.SQLContext(tables)
    return lambda sql: session.execute(sql).collect().to_arrow()


def datafusion(dataset):
    from datafusion import SessionContext

    session = SessionContext()
    for table in TABLES:
        folder = f"{dataset}/{table}"
        session.sql(f"CREATE EXTERNAL TABLE {table} STORED AS PARQUET LOCATION '{folder}'")
    return lambda sql: session.sql(sql).to_arrow_table()


def spark(dataset):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    for table in TABLES:
        session.read.parquet(f"{dataset}/{table}").createOrReplaceTempView(table)
    return lambda sql: session.sql(sql).toArrow()


def plain(cell):
    """A cell as Spark writes it as JSON."""
    if isinstance(cell, datetime):
        return cell.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return int(cell) if isinstance(cell, Decimal) else cell


engine, dataset, *questions = sys.argv[1:]
answer = globals()[engine](dataset)
for question in map(Path, questions):
    for row in answer(question.read_text()).to_pylist():
        row = {name: plain(cell) for name, cell in row.items()}
        print(json.dumps({"question": question.stem, "row": row}))
